// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ArgumentUses.h"
#include "passes/readers/KnownRegisters.h"

#include "gtest/gtest.h"

#include <tuple>

using namespace kst;

namespace {

using Row = std::tuple<int64_t, bool, bool, bool>; // offset, load, store, index

std::vector<Row> rows(const std::vector<ArgumentUse> &All) {
  std::vector<Row> Out;
  for (const ArgumentUse &Use : All)
    Out.emplace_back(Use.OffsetBytes, Use.Load, Use.Store, Use.Indexed);
  return Out;
}

TEST(ArgumentUses, ThroughCopiesAndCalls) {
  const auto Decoder = X86Decoder::create();
  if (!Decoder)
    GTEST_SKIP() << "this LLVM knows no x86";
  const std::vector<uint8_t> Outer = {
      0xf3, 0x0f, 0x1e, 0xfa,       // endbr64
      0xe8, 0x00, 0x00, 0x00, 0x00, // call (tracing)
      0x48, 0x89, 0xfb,             // mov %rdi,%rbx
      0x48, 0x8d, 0x7f, 0x10,       // lea 0x10(%rdi),%rdi
      0xe8, 0xeb, 0x0f, 0x00, 0x00, // call 0x2000
      0xf0, 0xff, 0x43, 0x08,       // lock incl 8(%rbx)
      0x8b, 0x07,                   // mov (%rdi),%eax: lost by the call
      0x48, 0x8b, 0x44, 0xc3, 0x20, // mov 0x20(%rbx,%rax,8),%rax
      0xc3,                         // ret
      0x89, 0x03,                   // mov %eax,(%rbx): behind the end
  };
  const std::vector<uint8_t> Inner = {
      0xc7, 0x07, 0x01, 0x00, 0x00, 0x00, // movl $1,(%rdi)
      0xb8, 0x04, 0x00, 0x00, 0x00,       // mov $4,%eax
      0x89, 0x18,                         // mov %ebx,(%rax): not the argument
      0xc3,                               // ret
  };
  ArgumentUses Uses(*Decoder, {{0x1000, Outer}, {0x2000, Inner}});
  EXPECT_TRUE(Uses.isFunction(0x2000));
  EXPECT_FALSE(Uses.isFunction(0x2006));
  EXPECT_EQ(rows(Uses.of(0x2000, 0)),
            (std::vector<Row>{{0, false, true, false}}));
  EXPECT_EQ(rows(Uses.of(0x1000, 0)),
            (std::vector<Row>{{8, true, true, false},
                              {0x10, false, true, false},
                              {0x20, true, false, true}}));
  EXPECT_TRUE(Uses.of(0x3000, 0).empty());
}

/// The first one becomes the second one of another function.
TEST(ArgumentUses, FurtherArguments) {
  const auto Decoder = X86Decoder::create();
  if (!Decoder)
    GTEST_SKIP() << "this LLVM knows no x86";
  const std::vector<uint8_t> Outer = {
      0x48, 0x8d, 0x77, 0x08,       // lea 8(%rdi),%rsi
      0x31, 0xff,                   // xor %edi,%edi
      0xe9, 0xf5, 0x0f, 0x00, 0x00, // jmp 0x2000
  };
  const std::vector<uint8_t> Inner = {
      0x8b, 0x07,       // mov (%rdi),%eax
      0x89, 0x46, 0x04, // mov %eax,4(%rsi)
      0xc3,             // ret
  };
  ArgumentUses Uses(*Decoder, {{0x1000, Outer}, {0x2000, Inner}});
  EXPECT_EQ(rows(Uses.of(0x2000, 0)),
            (std::vector<Row>{{0, true, false, false}}));
  EXPECT_EQ(rows(Uses.of(0x2000, 1)),
            (std::vector<Row>{{4, false, true, false}}));
  EXPECT_EQ(rows(Uses.of(0x1000, 0)),
            (std::vector<Row>{{12, false, true, false}}));
  EXPECT_TRUE(Uses.of(0x1000, 5).empty());
}

TEST(ArgumentUses, FunctionsThatCallEachOtherEnd) {
  const auto Decoder = X86Decoder::create();
  if (!Decoder)
    GTEST_SKIP() << "this LLVM knows no x86";
  const std::vector<uint8_t> A = {0x89, 0x07, // mov %eax,(%rdi)
                                  0xe9, 0xf9, 0x0f, 0x00, 0x00}; // jmp 0x2000
  const std::vector<uint8_t> B = {0x89, 0x47, 0x04, // mov %eax,4(%rdi)
                                  0xe9, 0xf8, 0xef, 0xff, 0xff}; // jmp 0x1000
  ArgumentUses Uses(*Decoder, {{0x1000, A}, {0x2000, B}});
  EXPECT_EQ(
      rows(Uses.of(0x1000, 0)),
      (std::vector<Row>{{0, false, true, false}, {4, false, true, false}}));
}

TEST(KnownRegisters, AddressesOfInstructions) {
  const auto Decoder = X86Decoder::create();
  if (!Decoder)
    GTEST_SKIP() << "this LLVM knows no x86";
  KnownRegisters Known(*Decoder, KnownValues::Addresses);
  const auto Run = [&](std::vector<uint8_t> Code) {
    llvm::MCInst Inst;
    const uint64_t Size = Decoder->next(Code, 0x1000, Inst);
    EXPECT_EQ(Size, Code.size());
    Known.step(Inst, 0x1000 + Size);
  };
  const auto Is = [&](const char *Name) {
    return Known.of(Decoder->registerOf(Name));
  };
  Run({0x48, 0xc7, 0xc7, 0x00, 0x00, 0x00, 0x82}); // mov $-0x7e000000,%rdi
  EXPECT_EQ(Is("RDI"), 0xffffffff82000000u);
  Run({0x48, 0x8d, 0x1d, 0xf9, 0x0f, 0x00, 0x00}); // lea 0xff9(%rip),%rbx
  EXPECT_EQ(Is("RBX"), 0x2000u);
  Run({0xb8, 0x00, 0x30, 0x00, 0x00}); // mov $0x3000,%eax
  EXPECT_EQ(Is("RAX"), 0x3000u);
  Run({0x48, 0x8d, 0x70, 0x08}); // lea 8(%rax),%rsi
  EXPECT_EQ(Is("RSI"), 0x3008u);
  Run({0x01, 0xd0}); // add %edx,%eax
  EXPECT_FALSE(Is("RAX"));
  Run({0xe8, 0x00, 0x00, 0x00, 0x00}); // call
  EXPECT_FALSE(Is("RDI"));
  EXPECT_EQ(Is("RBX"), 0x2000u);
  Run({0xc3}); // ret
  EXPECT_TRUE(Known.empty());
}

} // namespace
