// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/ModuleLayout.h"
#include "hybrid/isolation/SharedArrays.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

/// An image of one code and one data section, functions of 16 bytes.
struct TestImage {
  ObjectFile File;
  std::vector<double> Heat;
  std::vector<DataUse> Uses;

  TestImage() {
    File.Sections.resize(3);
    File.Sections[1] = {".text", 0x1000, 0x1000, 16, true, true};
    File.Sections[2] = {".data", 0x4000, 0x1000, 64, true, false, true};
  }
  uint32_t function(double Hot) {
    ObjectSymbol S;
    S.Name = "f" + std::to_string(File.Symbols.size());
    S.Value = 0x1000 + 16 * File.Symbols.size();
    S.SizeBytes = 16;
    S.Section = 1;
    S.Function = true;
    File.Symbols.push_back(S);
    Heat.push_back(Hot);
    return uint32_t(File.Symbols.size() - 1);
  }
  uint32_t global(const char *Name, uint64_t Offset, uint64_t Size) {
    ObjectSymbol S;
    S.Name = Name;
    S.Value = 0x4000 + Offset;
    S.SizeBytes = Size;
    S.Section = 2;
    S.Object = true;
    File.Symbols.push_back(S);
    Heat.push_back(0);
    return uint32_t(File.Symbols.size() - 1);
  }
  void use(uint32_t Function, uint64_t Offset, bool Store,
           bool Indexed = false) {
    DataUse Use;
    Use.Code = File.Symbols[Function].Value;
    Use.Data = 0x4000 + Offset;
    (Store ? Use.Store : Use.Load) = true;
    Use.Indexed = Indexed;
    Uses.push_back(Use);
  }
  std::vector<GlobalsLine> lines(const std::vector<Global> &Globals) {
    return sharedLines(Globals, File, globalUses(File, Uses), Heat, {});
  }
};

TEST(SharedLines, OneWritesAndAnotherReads) {
  TestImage I;
  const uint32_t Writer = I.function(0.5), Reader = I.function(0.25);
  I.global("count", 0, 8);
  I.global("limit", 8, 8);
  I.global("far", 64, 8);
  I.use(Writer, 0, true);
  I.use(Reader, 8, false);
  const auto Globals = globalsOf(I.File, {});
  const auto Lines = I.lines(Globals);
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_EQ(Lines[0].Address, 0x4000u);
  EXPECT_DOUBLE_EQ(Lines[0].Cost, 0.25);
  ASSERT_EQ(Lines[0].Members.size(), 2u);
  EXPECT_EQ(Lines[0].Members[0].Role, LineRole::Written);
  EXPECT_EQ(Lines[0].Members[1].Role, LineRole::Read);
  ASSERT_EQ(Lines[0].Advice.size(), 1u);
  EXPECT_EQ(Globals[Lines[0].Advice[0].Global].Is.Name, "limit");
  EXPECT_EQ(Lines[0].Advice[0].What, GlobalAdvice::AfterInit);
}

TEST(SharedLines, APointerInDataMayWrite) {
  TestImage I;
  const uint32_t Writer = I.function(0.5), Reader = I.function(0.25);
  I.global("count", 0, 8);
  I.global("limit", 8, 8);
  I.use(Writer, 0, true);
  I.use(Reader, 8, false);
  DataUse Pointer;
  Pointer.Code = 0x4800;
  Pointer.Data = 0x4008;
  Pointer.Taken = Pointer.InData = true;
  I.Uses.push_back(Pointer);
  const auto Lines = I.lines(globalsOf(I.File, {}));
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_EQ(Lines[0].Advice[0].What, GlobalAdvice::ReadMostly);
}

TEST(SharedLines, OnlyBytesOnTheLineCount) {
  TestImage I;
  const uint32_t Writer = I.function(0.5), Reader = I.function(0.25);
  I.global("large", 0, 136); // ends 8 bytes into the third line
  I.global("limit", 136, 8);
  I.use(Writer, 0, true);
  I.use(Reader, 136, false);
  EXPECT_TRUE(I.lines(globalsOf(I.File, {})).empty());
  I.use(Writer, 128, true);
  EXPECT_EQ(I.lines(globalsOf(I.File, {})).size(), 1u);
}

TEST(SharedLines, WhoDoesBothIsNoOtherReader) {
  TestImage I;
  const uint32_t Both = I.function(0.5);
  I.global("count", 0, 8);
  I.global("limit", 8, 8);
  I.use(Both, 0, true);
  I.use(Both, 8, false);
  EXPECT_TRUE(I.lines(globalsOf(I.File, {})).empty());
}

TEST(SharedLines, ALockStaysWithWhatItProtects) {
  TestImage I;
  const uint32_t Writer = I.function(0.5), Reader = I.function(0.25);
  I.global("lock", 0, 4);
  I.global("total", 8, 8);
  I.global("counts", 16, 8);
  for (uint64_t Offset : {0, 8, 16})
    I.use(Writer, Offset, true);
  I.use(Reader, 16, false);
  const auto Globals = globalsOf(I.File, {});
  const auto Lines = I.lines(Globals);
  ASSERT_EQ(Lines.size(), 1u);
  ASSERT_EQ(Lines[0].Advice.size(), 1u);
  EXPECT_EQ(Globals[Lines[0].Advice[0].Global].Is.Name, "counts");
}

TEST(SharedLines, AFlagThatIsSetOnceIsRead) {
  // if (!told) told = 1;
  const auto WithStores = [](std::optional<int64_t> First,
                             std::optional<int64_t> Second, bool Test) {
    TestImage I;
    const uint32_t A = I.function(0.5), B = I.function(0.25),
                   Reader = I.function(0.25);
    I.global("told", 0, 4);
    I.global("limit", 8, 8);
    for (uint32_t F : {A, B}) {
      if (F == A || Test)
        I.use(F, 0, false);
      I.use(F, 0, true);
      I.Uses.back().Constant = F == A ? First : Second;
    }
    I.use(Reader, 8, false);
    return I.lines(globalsOf(I.File, {})).size();
  };
  EXPECT_EQ(WithStores(1, 1, true), 0u);
  EXPECT_EQ(WithStores(1, 0, true), 1u);
  EXPECT_EQ(WithStores(1, std::nullopt, true), 1u);
  EXPECT_EQ(WithStores(std::nullopt, std::nullopt, true), 1u);
  EXPECT_EQ(WithStores(1, 1, false), 1u); // written without a look at it
}

TEST(SharedLines, LimitsAreRead) {
  // if (x < 3) x = 3; if (x > 300) x = 300;
  const auto WithStores = [](std::vector<int64_t> A, std::vector<int64_t> B) {
    TestImage I;
    const uint32_t Reader = I.function(0.25);
    I.global("x", 0, 4);
    I.global("limit", 8, 8);
    for (const auto &Stores : {A, B}) {
      const uint32_t F = I.function(0.25);
      I.use(F, 0, false);
      for (int64_t Value : Stores) {
        I.use(F, 0, true);
        I.Uses.back().Constant = Value;
      }
    }
    I.use(Reader, 8, false);
    return I.lines(globalsOf(I.File, {})).size();
  };
  EXPECT_EQ(WithStores({3, 300}, {300, 3}), 0u);
  EXPECT_EQ(WithStores({3, 300}, {4, 300}), 1u);
  EXPECT_EQ(WithStores({3}, {300}), 1u); // to and fro
  EXPECT_EQ(WithStores({1, 0}, {1, 0}), 1u);
}

TEST(SharedLines, CodeOfTheBootDoesNotWrite) {
  TestImage I;
  const uint32_t Writer = I.function(0.5), Reader = I.function(0.25);
  I.File.Sections[1].Name = ".init.text";
  I.global("count", 0, 8);
  I.global("limit", 8, 8);
  I.use(Writer, 0, true);
  I.use(Reader, 8, false);
  EXPECT_TRUE(I.lines(globalsOf(I.File, {})).empty());
}

TEST(GlobalReplay, FalseSharingIsBetweenTwoGlobals) {
  TestImage I;
  I.global("count", 0, 8);
  I.global("limit", 8, 8);
  const auto Globals = globalsOf(I.File, {});
  const std::vector<GlobalPlace> InPlace, Apart{{0x4000, 0}, {0x4040, 0}};
  GlobalReplay Now(Globals, InPlace, 2, 64), Then(Globals, Apart, 2, 64);
  for (GlobalReplay *Of : {&Now, &Then})
    for (int Round = 0; Round < 10; ++Round) {
      Of->access(0x4000, 8, 0, AccessKind::Store);
      Of->access(0x4008, 8, 1, AccessKind::Load);
    }
  // The first load is cold; nine find the line taken. The stores only upgrade.
  EXPECT_EQ(Now.falseMisses(), 9u);
  EXPECT_EQ(Now.pairs().at({0, 1}), 9u);
  EXPECT_EQ(Now.lines().at(0x4000), 9u);
  EXPECT_EQ(Now.counts()[1].Readers, 2u);
  EXPECT_EQ(Then.falseMisses(), 0u);
}

TEST(SharedArrays, PaddingIsPriced) {
  TestImage I;
  // Code that the reference does not know writes as well.
  const uint32_t Writer = I.function(0), Reader = I.function(0.25);
  I.global("slots", 0, 24 * 4);
  I.use(Writer, 0, true, true);
  I.use(Reader, 0, false, true);
  GlobalVariable V;
  V.Address = 0x4000;
  V.SizeBytes = 96;
  V.Name = "slots";
  V.Number = 4;
  V.StrideBytes = 24;
  const auto Globals = globalsOf(I.File, {V});
  const GlobalUses Uses = globalUses(I.File, I.Uses);
  auto Found = sharedArrays(Globals, I.File, Uses, I.Heat, 4, {});
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Sharing, 4u);
  EXPECT_TRUE(Found[0].PerCpu);
  EXPECT_EQ(Found[0].PaddingBytes, 40u * 4);
  EXPECT_EQ(Found[0].LinesNow, 2u);
  EXPECT_EQ(Found[0].LinesPadded, 4u);
  EXPECT_EQ(Found[0].Readers, std::vector<std::string>{"f1"});

  // Elements of two CPUs on one line, padded and not.
  std::vector<GlobalPlace> InPlace, Padded{{0x4000, 64}};
  GlobalReplay Now(Globals, InPlace, 2, 64), Then(Globals, Padded, 2, 64);
  for (GlobalReplay *Of : {&Now, &Then})
    for (int Round = 0; Round < 10; ++Round)
      for (unsigned Cpu : {0u, 1u})
        Of->access(0x4000 + 24 * Cpu, 8, Cpu, AccessKind::Store);
  EXPECT_EQ(Now.pairs().at({0, 0}), 18u);
  EXPECT_EQ(Then.falseMisses(), 0u);
  SharedLinesAsked Traced{64, &Now};
  Found = sharedArrays(Globals, I.File, Uses, I.Heat, 0, Traced);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].OwnElements, 2u);
  EXPECT_EQ(Found[0].OwnersBesides, 1u);
}

TEST(ModuleLayout, KindsBeginAtPages) {
  ObjectFile Module;
  Module.Sections.resize(6);
  Module.Sections[1] = {".data", 0, 20, 8, true, false, true};
  Module.Sections[2] = {".text", 0, 100, 16, true, true};
  Module.Sections[3] = {".init.data", 0, 8, 8, true, false, true};
  Module.Sections[4] = {".bss", 0, 8, 32, true, false, true};
  Module.Sections[5] = {".data..percpu", 0, 8, 8, true, false, true};
  const auto At = moduleAddresses(Module);
  EXPECT_EQ(At[0], 0u);
  EXPECT_EQ(At[2] % 4096, 0u);
  EXPECT_EQ(At[1], At[2] + 4096);
  EXPECT_EQ(At[4], At[1] + 32);
  EXPECT_EQ(At[3], At[1] + 4096);
  EXPECT_EQ(At[5], 0u);
}

} // namespace
