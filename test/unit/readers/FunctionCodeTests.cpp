// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/KernelImage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <set>

using namespace kst;

namespace {

struct InlinedProgram : testing::Test {
  InlinedProgram() : Image(KernelImage::open(INLINED_PROGRAM)) {
    if (Image)
      Code = cantFail(Image->functionCode());
  }
  uint32_t function(llvm::StringRef Name) {
    auto At = llvm::find_if(
        Code.Functions, [&](const CodeFunction &F) { return F.Name == Name; });
    return static_cast<uint32_t>(At - Code.Functions.begin());
  }
  std::vector<CodeCopy> copies(llvm::StringRef Name) {
    std::vector<CodeCopy> Out;
    for (const CodeCopy &C : Code.Copies)
      if (C.Function == function(Name))
        Out.push_back(C);
    return Out;
  }
  std::set<uint32_t> lines(llvm::StringRef Name) {
    std::set<uint32_t> Out;
    for (const CodeStretch &S : Code.Stretches)
      if (Code.Copies[S.Copy].Function == function(Name))
        Out.insert(S.Line);
    return Out;
  }

  llvm::Expected<KernelImage> Image;
  FunctionCode Code;
};

TEST_F(InlinedProgram, HasACopyForEachCall) {
  ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  ASSERT_LT(function("twice"), Code.Functions.size());
  const CodeFunction &Twice = Code.Functions[function("twice")];
  EXPECT_EQ(Twice.Line, 5u);
  EXPECT_TRUE(llvm::StringRef(Twice.File).ends_with("Inputs/inlined.c"));
  auto Copies = copies("twice"), Callers = copies("caller");
  ASSERT_EQ(Copies.size(), 2u);
  ASSERT_EQ(Callers.size(), 1u);
  EXPECT_NE(Copies[0].Entry, Copies[1].Entry);
  EXPECT_EQ(Callers[0].Entry, Image->symbol("caller")->Address);
  for (const CodeCopy &C : Code.Copies)
    EXPECT_TRUE(C.Whole);
}

TEST_F(InlinedProgram, GivesInlinedCodeToTheInlinedFunction) {
  ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  EXPECT_TRUE(lines("twice").count(6));
  EXPECT_TRUE(lines("caller").count(12));
  for (uint32_t Line : lines("caller"))
    EXPECT_GE(Line, 10u) << "of what is inlined";
  for (uint32_t Line : lines("twice"))
    EXPECT_LE(Line, 8u);
}

TEST_F(InlinedProgram, IsWhatPlacesSayOfEachAddress) {
  ASSERT_TRUE(bool(Image)) << llvm::toString(Image.takeError());
  ASSERT_FALSE(Code.Stretches.empty());
  for (const CodeStretch &S : Code.Stretches)
    for (uint64_t Address : {S.Begin, S.End - 1}) {
      auto Places = Image->placesOf(Address);
      EXPECT_EQ(Places.front().Line, S.Line);
      EXPECT_EQ(Places.front().Function,
                Code.Functions[Code.Copies[S.Copy].Function].Name);
    }
}

} // namespace
