// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/DemandsOnly.h"
#include "hybrid/program/SourceRules.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

TuFacts facts(const char *File, const char *Code) {
  TestTU Unit = TestTU::withCode(Code);
  Unit.File = File;
  Unit.Headers["s.h"] = "struct in { int x, y; };\n"
                        "struct s { int a; struct in in; };\n"
                        "struct unused { int z; };\n";
  return llvm::cantFail(Unit.build());
}

const char *Print = "#include \"s.h\"\n"
                    "void print(struct s *p) { p->a = 1; asm volatile(\"# %0\" "
                    ": : \"i\" (__builtin_offsetof(struct s, in.y))); }";

TEST(DemandsOnly, KeepsDemandsAndTheirRecords) {
  TuFacts Whole = facts("a.c", Print), Only = demandsOnly(Whole);
  EXPECT_EQ(Only.Demands.size(), Whole.Demands.size());
  EXPECT_EQ(Only.Strings[Only.MainFile], "a.c");
  ASSERT_EQ(Only.Records.size(), 2u);
  EXPECT_EQ(Only.Strings[Only.Records[0].Name], "s");
  EXPECT_EQ(Only.Strings[Only.Records[1].Name], "in");
  EXPECT_EQ(Only.Fields[Only.Records[0].Fields.Begin + 1].Embedded, 1u);
  EXPECT_TRUE(Only.Functions.empty());
  EXPECT_TRUE(Only.Accesses.empty());
}

TEST(DemandsOnly, MeetsOtherUnitsInAProgram) {
  std::vector<TuFacts> Units{
      demandsOnly(facts("a.c", Print)),
      facts("b.c", "#include \"s.h\"\nint f(struct s *p) { return p->a; }")};
  Program Whole(Units);
  EXPECT_EQ(Whole.Functions.size(), 1u);
  ASSERT_EQ(Whole.recordsNamed("s").size(), 1u);
  EXPECT_EQ(Whole.recordsNamed("unused").size(), 1u);
  std::vector<SourceRule> Rules =
      sourceRules(Whole, Whole.recordsNamed("s")[0]);
  ASSERT_EQ(Rules.size(), 1u);
  EXPECT_EQ(Rules[0].Fields, std::vector<uint32_t>{1});
  EXPECT_EQ(Rules[0].Why, "assembly uses its offset");
  EXPECT_EQ(Rules[0].Where, (Site{"print", "a.c", 2}));
}

} // namespace
