// SPDX-License-Identifier: GPL-2.0-or-later
//
// Broken object files end in an error or in some answer, never in a crash or
// in reads beyond the buffer (the asan preset sees those).

#include "passes/verify/CheckObject.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <memory>

namespace kst {
namespace {

std::string counted() {
  auto Buffer = llvm::MemoryBuffer::getFile(KST_COUNTED_OBJECT);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

/// Reads and checks a copy whose end is the end of an allocation. Whether it
/// could be read.
bool survives(llvm::StringRef Bytes) {
  auto Exact = std::make_unique<char[]>(Bytes.size());
  std::copy(Bytes.begin(), Bytes.end(), Exact.get());
  auto Object = readElf({Exact.get(), Bytes.size()});
  if (!Object) {
    EXPECT_NE(llvm::toString(Object.takeError()), "");
    return false;
  }
  checkKernelObject(*Object, "a.o");
  checkForbiddenObject(*Object, "a.o", "vdso");
  return true;
}

TEST(ElfObject, ReadsWhatTheAssemblerWrote) {
  std::string Bytes = counted();
  auto Object = readElf(Bytes);
  ASSERT_TRUE(bool(Object)) << llvm::toString(Object.takeError());
  EXPECT_EQ(Object->Kind, ElfObject::Relocatable);
  EXPECT_EQ(Object->Relocations.size(), 2u);
  ObjectResult Result = checkKernelObject(*Object, "a.o");
  ASSERT_EQ(Result.Findings.size(), 1u);
  EXPECT_EQ(Result.Findings[0].Function, "forbidden");
  EXPECT_EQ(Result.Findings[0].Offset, 5u);
  EXPECT_EQ(Result.Findings[0].Target, "counters+0x8");
  EXPECT_EQ(Result.CountedReferences, 1u);
  EXPECT_EQ(Result.CountedFunctions, std::set<std::string>{"allowed"});
}

TEST(ElfObject, EveryPrefixIsRefused) {
  std::string Bytes = counted();
  ASSERT_FALSE(Bytes.empty());
  // The section headers are the last thing in the file.
  for (size_t Size = 0; Size != Bytes.size(); ++Size)
    EXPECT_FALSE(survives(llvm::StringRef(Bytes).take_front(Size))) << Size;
}

TEST(ElfObject, EveryChangedByteIsSurvived) {
  std::string Bytes = counted();
  bool Refused = false;
  for (size_t At = 0; At != Bytes.size(); ++At)
    for (unsigned char Value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string Changed = Bytes;
      Changed[At] = Value;
      Refused |= !survives(Changed);
    }
  EXPECT_TRUE(Refused);
}

TEST(ElfObject, RelocationsWithoutSymbolsAreRefused) {
  std::string Bytes = counted();
  auto *Header = reinterpret_cast<uint64_t *>(Bytes.data());
  uint64_t Sections = Header[5]; // e_shoff
  unsigned Count = Bytes[60];    // e_shnum
  for (unsigned I = 0; I != Count; ++I)
    if (Bytes[Sections + I * 64 + 4] == 2) // sh_type SHT_SYMTAB
      Bytes[Sections + I * 64 + 4] = 1;    // SHT_PROGBITS
  auto Object = readElf(Bytes);
  ASSERT_FALSE(bool(Object));
  EXPECT_NE(llvm::toString(Object.takeError()).find("no symbol table"),
            std::string::npos);
}

} // namespace
} // namespace kst
