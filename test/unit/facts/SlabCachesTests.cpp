// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/support/TestTU.h"

#include <gtest/gtest.h>

namespace kst {
namespace {

/// As include/linux/slab.h has them: the enum since 6.9, the arguments in a
/// record since 6.12.
const char *Declarations = R"c(
struct item { long a, b; };
struct kmem_cache *kmem_cache_create(const char *name, unsigned size,
    unsigned align, unsigned flags, void (*ctor)(void *));
struct kmem_cache_args { unsigned align; _Bool use_freeptr_offset;
                         void (*ctor)(void *); };
struct kmem_cache *__kmem_cache_create_args(const char *name,
    unsigned object_size, struct kmem_cache_args *args, unsigned flags);
void init(void *);
struct kmem_cache *other(const char *, unsigned, unsigned align,
                         unsigned flags, void (*ctor)(void *));
)c";
const char *Bits = "enum { _SLAB_HWCACHE_ALIGN = 4, _SLAB_TYPESAFE_BY_RCU };\n";

/// "RECORD ALIGN [lines] [behind]" of each cache.
std::string slabs(const std::string &Body, bool Enum) {
  llvm::Expected<TuFacts> Facts =
      TestTU::withCode((Enum ? Bits : "") + std::string(Declarations) +
                       "void f(unsigned n, struct item *p) {" + Body + "}")
          .build();
  if (!Facts)
    return toString(Facts.takeError());
  std::string Out;
  for (const SlabFact &Slab : Facts->Slabs) {
    Out += Facts->Strings[Facts->Records[Slab.Record].Name] + " " +
           std::to_string(Slab.AlignBytes);
    Out += Slab.Flags & SlabOnLines ? " lines" : "";
    Out += Slab.Flags & SlabLinkBehind ? " behind" : "";
  }
  return Out;
}

TEST(SlabCaches, Old) {
  auto Of = [](const std::string &Arguments) {
    return slabs("kmem_cache_create(\"\", " + Arguments + ");", false);
  };
  EXPECT_EQ(Of("sizeof(struct item), 0, 0, 0"), "item 0");
  EXPECT_EQ(Of("sizeof(*p), 32, 0x2000, 0"), "item 32 lines");
  EXPECT_EQ(Of("sizeof(struct item), 0, 0x80000, 0"), "item 0 behind");
  EXPECT_EQ(Of("sizeof(struct item), 0, 0x10, init"), "item 0 behind");
  // What is not known is not said.
  EXPECT_EQ(Of("n, 0, 0, 0"), "");
  EXPECT_EQ(Of("sizeof(struct item) + n, 0, 0, 0"), "");
  EXPECT_EQ(Of("sizeof(struct item), n, 0, 0"), "");
  EXPECT_EQ(Of("sizeof(struct item), 0, n, 0"), "");
  EXPECT_EQ(Of("sizeof(struct item), 3, 0, 0"), "");
  EXPECT_EQ(Of("sizeof(long), 0, 0, 0"), "");
  EXPECT_EQ(slabs("other(\"\", sizeof(struct item), 0, 0, 0);", false), "");
}

TEST(SlabCaches, New) {
  auto Of = [](const std::string &Before, const std::string &Arguments) {
    return slabs(Before + "__kmem_cache_create_args(\"\", " + Arguments + ");",
                 true);
  };
  EXPECT_EQ(Of("", "sizeof(struct item), (void *)0, 0x2000"), "item 0");
  EXPECT_EQ(Of("", "sizeof(struct item), (void *)0, 1 << 4"), "item 0 lines");
  const std::string Literal =
      "sizeof(struct item), &(struct kmem_cache_args){.align = 8";
  EXPECT_EQ(Of("", Literal + "}, 0x20"), "item 8 behind");
  EXPECT_EQ(Of("", Literal + ", .use_freeptr_offset = 1}, 0x30"),
            "item 8 lines");
  EXPECT_EQ(Of("struct kmem_cache_args args = {.ctor = init};",
               "sizeof(struct item), &args, 0"),
            "item 0 behind");
  // What cannot be told.
  EXPECT_EQ(Of("struct kmem_cache_args args = {}; args.align = 64;",
               "sizeof(struct item), &args, 0"),
            "");
  EXPECT_EQ(Of("extern struct kmem_cache_args *args;",
               "sizeof(struct item), args, 0"),
            "");
}

TEST(SlabCaches, ParametersWithoutNames) {
  llvm::Expected<TuFacts> Facts =
      TestTU::withCode("struct item { long a; };\n"
                       "void *kmem_cache_create(const char *, unsigned long, "
                       "unsigned long, unsigned long, void (*)(void *));\n"
                       "void f(void) { kmem_cache_create(\"\", sizeof(struct "
                       "item), 0, 0x2000, 0); }")
          .build();
  ASSERT_TRUE(!!Facts);
  EXPECT_TRUE(Facts->Slabs.empty());
}

} // namespace
} // namespace kst
