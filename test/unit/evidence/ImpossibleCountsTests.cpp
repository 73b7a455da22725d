// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/evidence/ImpossibleCounts.h"
#include "test/unit/evidence/MeasuredProgram.h"

using namespace kst;

namespace {

const char *Code = R"c(
#include "part.h"
void idle(struct s *p) { p->a = 1; }
__attribute__((weak)) void other(struct s *p) { p->a = 2; }
static int looks(struct s *p) { return p->a; }
void work(struct s *p, int n) {
  if (n & 1)
    idle(p);
  if (n & 2)
    other(p);
  if (n & 4)
    inHeader(p);
  if (n & 8)
    p->b = looks(p);
}
void either(struct s *p, int n) {
  if (n & 1)
    p->a++;
  else
    p->b++;
}
void inlined(struct s *p, int n) {
  if (n & 1)
    p->a++;
  else
    inHeader(p);
}
long chain(struct s *p, int n) {
  long sum = 0;
  if (n & 1) {
    sum = p->a;
    if (n & 2)
      p->b++;
    else
      p->b--;
  }
  return sum;
}
void endless(struct s *p) {
  p->a = 1;
  for (;;)
    inHeader(p);
}
void cold(struct s *p, int n) {
  if (__builtin_expect(n & 1, 0))
    p->a++;
  p->b++;
}
)c";
const char *Header = R"c(
struct s { long a, b; };
static inline void inHeader(struct s *p) { p->b = 3; }
)c";

class ImpossibleCountsTest : public testing::Test {
protected:
  ImpossibleCountsTest() : Of(Code, Header) {
    Counts.resize(Of.Whole->Functions.size());
  }

  FunctionId id(const std::string &Name) const {
    return Of.Whole->functionsNamed(Name).front();
  }
  PooledFunction &counted(const std::string &Name, double Entries) {
    PooledFunction &Function = Counts[id(Name)];
    Function.Counts = true;
    Function.Entries.add(Entries, 1);
    return Function;
  }
  /// The block in which the function calls this one.
  uint32_t blockOfCall(const std::string &In, const std::string &To) const {
    for (const CallFact &Call : rowsOf(Of.Whole->unitOf(id(In)).Calls,
                                       Of.Whole->Functions[id(In)].Fact->Calls))
      if (Of.Whole->callees(id(In), Call).front().Function == id(To))
        return Call.Block;
    ADD_FAILURE() << In << " does not call " << To;
    return 0;
  }
  /// The block of the access in the line.
  uint32_t blockOf(const std::string &In, uint32_t Line) const {
    for (const AccessFact &Access :
         rowsOf(Of.Whole->unitOf(id(In)).Accesses,
                Of.Whole->Functions[id(In)].Fact->Accesses))
      if (Access.Line == Line)
        return Access.Block;
    ADD_FAILURE() << In << " has no access in line " << Line;
    return 0;
  }
  void drop() { dropImpossible(*Of.Whole, Counts); }

  MeasuredProgram Of;
  std::vector<PooledFunction> Counts;
};

TEST_F(ImpossibleCountsTest, ABlockThatCallsWhatNeverRanDidNotRun) {
  auto &Blocks = counted("work", 100).Blocks;
  counted("idle", 0);
  const uint32_t Calls = blockOfCall("work", "idle");
  Blocks[Calls] = 100;
  drop();
  EXPECT_EQ(Blocks.at(Calls), 0);
}

TEST_F(ImpossibleCountsTest, WhatRanOnceSaysNothingAgainstALine) {
  auto &Blocks = counted("work", 100).Blocks;
  counted("idle", 1);
  const uint32_t Calls = blockOfCall("work", "idle");
  Blocks[Calls] = 100;
  drop();
  EXPECT_EQ(Blocks.at(Calls), 100);
}

TEST_F(ImpossibleCountsTest, ZerosThatAreNotSureSayNothing) {
  auto &Blocks = counted("work", 100).Blocks;
  for (const char *Name : {"other", "inHeader", "looks"}) {
    counted(Name, 0);
    Blocks[blockOfCall("work", Name)] = 100;
  }
  drop();
  for (const char *Name : {"other", "inHeader", "looks"})
    EXPECT_EQ(Blocks.at(blockOfCall("work", Name)), 100) << Name;
  // Not counted at all.
  Blocks[blockOfCall("work", "idle")] = 100;
  drop();
  EXPECT_EQ(Blocks.at(blockOfCall("work", "idle")), 100);
}

TEST_F(ImpossibleCountsTest, SomeWayWasGone) {
  auto &Blocks = counted("either", 100).Blocks;
  const uint32_t Then = blockOf("either", Of.line("p->a++;\n  else")),
                 Else = blockOf("either", Of.line("p->b++;\n}\nvoid inlined"));
  ASSERT_NE(Then, Else);
  Blocks[Then] = Blocks[Else] = 0;
  drop();
  EXPECT_TRUE(Blocks.empty());
  // One of the two is no contradiction.
  Blocks[Then] = 0;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Then, 0}}));
}

TEST_F(ImpossibleCountsTest, ALineOfInlinedCodeAloneIsDoubtedFirst) {
  auto &Blocks = counted("inlined", 100).Blocks;
  const uint32_t Then =
      blockOf("inlined", Of.line("p->a++;\n  else\n    inHeader"));
  Blocks[Then] = Blocks[blockOfCall("inlined", "inHeader")] = 0;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Then, 0}}));
}

TEST_F(ImpossibleCountsTest, NothingRanThatOnlyLeadsToWhatDidNot) {
  auto &Blocks = counted("chain", 100).Blocks;
  const uint32_t Arms = Of.line("sum = p->a;");
  const uint32_t Then = blockOf("chain", Arms + 2),
                 Else = blockOf("chain", Arms + 4);
  Blocks[Then] = Blocks[Else] = 0;
  drop();
  EXPECT_EQ(Blocks.at(blockOf("chain", Arms)), 0);
  // One of the two is no reason.
  Blocks.clear();
  Blocks[Then] = 0;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Then, 0}}));
}

TEST_F(ImpossibleCountsTest, WhatRanWasReached) {
  auto &Blocks = counted("chain", 100).Blocks;
  const uint32_t Arms = Of.line("sum = p->a;");
  const uint32_t Outer = blockOf("chain", Arms),
                 Then = blockOf("chain", Arms + 2);
  Blocks[Outer] = 0;
  Blocks[Then] = 50;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Then, 50}}));
}

TEST_F(ImpossibleCountsTest, NobodyKnowsHowFarAnEndlessFunctionCame) {
  auto &Blocks = counted("endless", 100).Blocks;
  const uint32_t Loop = blockOfCall("endless", "inHeader");
  Blocks[Loop] = 0;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Loop, 0}}));
}

TEST_F(ImpossibleCountsTest, WhatIsFarRarerKeepsItsZero) {
  auto &Blocks = counted("cold", 100).Blocks;
  const uint32_t Rare = blockOf("cold", Of.line("p->a++;\n  p->b++")),
                 Always = blockOf("cold", Of.line("p->a++;\n  p->b++") + 1);
  Blocks[Rare] = Blocks[Always] = 0;
  drop();
  EXPECT_EQ(Blocks, (std::map<uint32_t, double>{{Rare, 0}}));
}

TEST_F(ImpossibleCountsTest, AFunctionThatWasNotEnteredIsLeftAlone) {
  auto &Blocks = counted("cold", 0).Blocks;
  const uint32_t Always = blockOf("cold", Of.line("p->a++;\n  p->b++") + 1);
  Blocks[Always] = 0;
  drop();
  EXPECT_EQ(Blocks.size(), 1u);
}

} // namespace
