// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/FieldDeclaration.h"

#include <gtest/gtest.h>

using namespace kst;

namespace {

using Known = Result<std::optional<TypeShape>>;

Known lookup(const std::string &Type) {
  if (Type == "struct list_head" || Type == "lock_t")
    return std::optional(TypeShape{16, 8});
  if (Type == "struct twice")
    return Failure{"the analysed files disagree about 'struct twice'"};
  return std::optional<TypeShape>();
}

constexpr const char *X86 = "x86_64-unknown-linux-gnu";
constexpr const char *I386 = "i386-unknown-linux-gnu";
constexpr const char *Arm = "armv7-unknown-linux-gnueabi";

TEST(FieldDeclaration, SizesOnThreeTargets) {
  struct Case {
    const char *Text, *Name, *Type;
    uint64_t Size64, Size386, SizeArm; ///< bytes
    uint32_t Align64, Align386, AlignArm;
  };
  for (const Case &C : {
           Case{"u64 foo", "foo", "u64", 8, 8, 8, 8, 4, 8},
           Case{"__s64 foo;", "foo", "__s64", 8, 8, 8, 8, 4, 8},
           Case{"u32 a", "a", "u32", 4, 4, 4, 4, 4, 4},
           Case{"s16 a", "a", "s16", 2, 2, 2, 2, 2, 2},
           Case{"u8 a", "a", "u8", 1, 1, 1, 1, 1, 1},
           Case{"bool on", "on", "bool", 1, 1, 1, 1, 1, 1},
           Case{"char c", "c", "char", 1, 1, 1, 1, 1, 1},
           Case{"unsigned char c", "c", "unsigned char", 1, 1, 1, 1, 1, 1},
           Case{"short int s", "s", "short int", 2, 2, 2, 2, 2, 2},
           Case{"unsigned n", "n", "unsigned", 4, 4, 4, 4, 4, 4},
           Case{"int n", "n", "int", 4, 4, 4, 4, 4, 4},
           Case{"long n", "n", "long", 8, 4, 4, 8, 4, 4},
           Case{"unsigned long int n", "n", "unsigned long int", 8, 4, 4, 8, 4,
                4},
           Case{"long long n", "n", "long long", 8, 8, 8, 8, 4, 8},
           Case{"size_t n", "n", "size_t", 8, 4, 4, 8, 4, 4},
           Case{"struct rq *rq", "rq", "struct rq *", 8, 4, 4, 8, 4, 4},
           Case{"const struct rq __rcu *rq", "rq", "struct rq *", 8, 4, 4, 8, 4,
                4},
           Case{"char * const *v", "v", "char **", 8, 4, 4, 8, 4, 4},
           Case{"void (*done)(int, void *)", "done",
                "void (*done)(int, void *)", 8, 4, 4, 8, 4, 4},
           Case{"u32 v[3]", "v", "u32[3]", 12, 12, 12, 4, 4, 4},
           Case{"u8 v[2][0x10]", "v", "u8[2][0x10]", 32, 32, 32, 1, 1, 1},
           Case{"struct x *v[4]", "v", "struct x *[4]", 32, 16, 16, 8, 4, 4},
           Case{"struct list_head link", "link", "struct list_head", 16, 16, 16,
                8, 8, 8},
           Case{"lock_t l", "l", "lock_t", 16, 16, 16, 8, 8, 8},
           Case{"enum state st", "st", "enum state", 4, 4, 4, 4, 4, 4},
       })
    for (auto [Triple, Size, Align] :
         {std::tuple{X86, C.Size64, C.Align64},
          std::tuple{I386, C.Size386, C.Align386},
          std::tuple{Arm, C.SizeArm, C.AlignArm}}) {
      Result<FieldInfo> F = parseDeclaration(C.Text, Triple, lookup);
      ASSERT_TRUE(F) << F.error();
      EXPECT_EQ(F->Name, C.Name) << C.Text;
      EXPECT_EQ(F->TypeName, C.Type) << C.Text;
      EXPECT_EQ(F->SizeBits, 8 * Size) << C.Text << " " << Triple;
      EXPECT_EQ(F->AlignBytes, Align) << C.Text << " " << Triple;
      EXPECT_EQ(F->ExplicitAlignBytes, 0u) << C.Text;
      EXPECT_FALSE(F->BitField) << C.Text;
    }
}

TEST(FieldDeclaration, BitFields) {
  Result<FieldInfo> F = parseDeclaration("unsigned int on:3", X86, lookup);
  ASSERT_TRUE(F) << F.error();
  EXPECT_TRUE(F->BitField);
  EXPECT_EQ(F->SizeBits, 3u);
  EXPECT_EQ(F->StorageUnitBits, 32u);
  EXPECT_EQ(F->AlignBytes, 4u);
}

TEST(FieldDeclaration, WhatTheCallerStates) {
  Result<FieldInfo> F = parseDeclaration("mystery_t m", X86, lookup, {24, 8});
  ASSERT_TRUE(F) << F.error();
  EXPECT_EQ(F->SizeBits, 192u);
  EXPECT_EQ(F->AlignBytes, 8u);
  // More than its type asks for: an alignment of its own.
  F = parseDeclaration("u64 m", X86, lookup, {0, 64});
  ASSERT_TRUE(F) << F.error();
  EXPECT_EQ(F->SizeBits, 64u);
  EXPECT_EQ(F->AlignBytes, 64u);
  EXPECT_EQ(F->ExplicitAlignBytes, 64u);
  // A target whose sizes are not listed.
  F = parseDeclaration("long m", "vax-unknown-linux", lookup, {4, 4});
  ASSERT_TRUE(F) << F.error();
  EXPECT_EQ(F->SizeBits, 32u);
}

TEST(FieldDeclaration, Mistakes) {
  struct Case {
    const char *Text, *Error;
  };
  for (const Case &C : {
           Case{"", "'': expected a type and a name, as in 'u64 foo'"},
           Case{"u64", "'u64': expected a type and a name, as in 'u64 foo'"},
           Case{"struct foo",
                "'struct foo': expected a type and a name, as in 'u64 foo'"},
           Case{"*p", "'*p': expected a type and a name, as in 'u64 foo'"},
           Case{"char *", "'char *': expected a type and a name, as in 'u64 "
                          "foo'"},
           Case{"mystery_t m", "'mystery_t m': the size of 'mystery_t' is not "
                               "known here; give --size and --align"},
           Case{"struct twice t",
                "'struct twice t': the analysed files disagree about 'struct "
                "twice'; give --size and --align"},
           Case{"u64 v[N]", "'u64 v[N]': 'N' is not the length of an array; "
                            "write a number, or give --size and --align for a "
                            "plain type"},
           Case{"u64 v[0]", "'u64 v[0]': '0' is not the length of an array; "
                            "write a number, or give --size and --align for a "
                            "plain type"},
           Case{"u64 v[]", "'u64 v[]': the length of an array must be one "
                           "number; otherwise give a plain type with --size "
                           "and --align"},
           Case{"u8 v[9999999][99]",
                "'u8 v[9999999][99]': the array is too large"},
           Case{"u32 b:", "'u32 b:': expected the width of a bit-field, as in "
                          "'u32 foo:3'"},
           Case{"u8 b:9",
                "'u8 b:9': a bit-field of 9 bits does not fit its type"},
           Case{"u64 a, b", "'u64 a, b': ',' is not understood; attributes are "
                            "said with --size and --align"},
           Case{"int (*f", "'int (*f': expected a pointer to a function as in "
                           "'int (*foo)(void)'"},
       }) {
    Result<FieldInfo> F = parseDeclaration(C.Text, X86, lookup);
    EXPECT_FALSE(F) << C.Text;
    EXPECT_EQ(F.error(), C.Error);
  }
  EXPECT_EQ(parseDeclaration("char *p", "vax-unknown-linux", lookup).error(),
            "'char *p': the size of 'char *' is not known here; give --size "
            "and --align");
}

} // namespace
