// SPDX-License-Identifier: GPL-2.0-or-later
//
// No order costs less than the bound: every legal order of small records of
// every kind, priced by the real formula.

#include "Records.h"

#include "hybrid/layout/SearchSpace.h"
#include "hybrid/layout/bound/Bound.h"
#include "hybrid/layout/bound/ExactPartition.h"
#include "hybrid/layout/bound/FrozenLines.h"
#include "hybrid/layout/bound/LineProblem.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

using namespace kst;
using namespace kst::test;

namespace {

/// Fields that cross lines, larger than a line, below a byte, aligned to one.
RecordInfo oddRecord(std::mt19937 &Rng, uint32_t Count, bool Structs = false) {
  std::vector<FieldInfo> Fields;
  uint32_t Style = Rng() % 5;
  for (uint32_t I = 0; I < Count; ++I) {
    std::string Name = "f";
    Name += std::to_string(I);
    uint32_t Kind = Style == 0   ? Rng() % 14
                    : Style == 1 ? 3 + Rng() % 2
                    : Style == 2 ? 6 + Rng() % 4
                    : Style == 4 ? Rng() % 2 * (Rng() % 2 ? 13 : 5)
                                 : Rng() % 12;
    switch (Kind) {
    case 0:
      Fields.push_back(bits(Name, 1 + Rng() % (Style == 4 ? 8 : 20)));
      break;
    case 1:
      Fields.push_back(field(Name, 1));
      break;
    case 2:
      Fields.push_back(marker(Name));
      break;
    case 3:
      Fields.push_back(field(Name, 8 * (1 + Rng() % 8), 8));
      break;
    case 4:
      Fields.push_back(field(Name, 4 * (1 + Rng() % 30), 4));
      break;
    case 5:
      Fields.push_back(aligned(field(Name, 8), 64));
      break;
    case 9:
      Fields.push_back(field(Name, 48, 16));
      break;
    case 10:
      Fields.push_back(field(Name, 1 + Rng() % 70, 1));
      break;
    case 11:
      Fields.push_back(bits(Name, 1 + Rng() % 31));
      Fields.back().Packed = true;
      break;
    case 12:
      Fields.push_back(aligned(field(Name, 8 * (1 + Rng() % 10), 8), 32));
      break;
    default:
      Fields.push_back(field(Name, 8 * (Kind - 3), 8));
    }
  }
  if (Rng() % 8 == 0) {
    Fields.push_back(field("tail", 0, 8));
    Fields.back().FlexibleArray = true;
  }
  uint32_t Align = Rng() % 3 ? 64 : 0;
  const auto N = static_cast<uint32_t>(Fields.size());
  return record(std::move(Fields), Align,
                Structs ? randomStructs(Rng, N) : std::vector<Nested>());
}

double cheapest(const SearchSpace &Space) {
  MoveUnitOrder Order = Space.declared();
  double Least = Space.price(Order);
  do
    if (Space.rules().legal(Order))
      Least = std::min(Least, Space.price(Order));
  while (std::next_permutation(Order.begin(), Order.end()));
  return Least;
}

/// Structs: with anonymous ones. AtLeast: how close the bound is on average.
void boundSmallRecords(bool Structs, double AtLeast) {
  double Sum = 0;
  int Count = 0;
  for (uint32_t Seed = 0; Seed < 1500; ++Seed) {
    std::mt19937 Rng(Seed);
    RecordInfo R = oddRecord(Rng, 3 + Rng() % 4, Structs);
    uint32_t N = static_cast<uint32_t>(R.Fields.size());
    std::vector<CoAccessSet> Sets = randomSets(Rng, N, 1 + Rng() % 8);
    if (Seed % 3 == 0)
      addRandomSpots(Seed, R, Sets);
    CostOptions O;
    O.LineBytes = Rng() % 3 ? 64 : 128;
    O.InstanceAlignBytes =
        Rng() % 3 ? O.LineBytes : std::max(16u, R.AlignBytes);
    if (Rng() % 4 == 0)
      O.LambdaPad = 0.5;
    if (Rng() % 4 == 0)
      O.On = lineMachine(20);
    ConstraintOptions C;
    if (Rng() % 3 == 0)
      C.Aligned = AlignedRule::ImmovableField;
    if (Rng() % 3 == 0)
      C.Pins.push_back({static_cast<uint32_t>(Rng() % N), "asked for"});
    if (Rng() % 3 == 0) // lines that no order changes
      for (uint32_t F = 0, End = Rng() % (N + 1); F < End; ++F)
        C.Pins.push_back({F, "asked for"});
    if (Rng() % 4 == 0) {
      SourceRule Rule;
      Rule.Kind = Rng() % 2 ? RuleKind::ImmovableField : RuleKind::Barrier;
      Rule.Fields = {static_cast<uint32_t>(Rng() % N)};
      C.Rules.push_back(Rule);
    }
    LayoutCost Model(R, Sets, O);
    Constraints Rules(R, C);
    double Least = cheapest(SearchSpace(R, Rules, Model));
    uint64_t Budget = 1ull << (8 + Rng() % 20);
    double Bound = certifiedBound(R, Model, Rules, Budget).Value;
    ASSERT_LE(Bound, Least * (1 + 1e-12)) << "seed " << Seed;
    if (Model.starts().size() == 1 && Least > 0 && Budget > 1u << 16 &&
        Seed % 3) {
      Sum += Bound / Least;
      ++Count;
    }
  }
  // And it is not far off, even here, where a few large fields fill few lines.
  EXPECT_GT(Count, 300);
  EXPECT_GT(Sum / Count, AtLeast);
}

TEST(CertifiedBound, NoOrderOfASmallRecordCostsLess) {
  boundSmallRecords(false, 0.85);
}

TEST(CertifiedBound, NorWithAnonymousStructs) { boundSmallRecords(true, 0.75); }

TEST(CertifiedBound, FrozenLinesCountAsTheyAre) {
  // Line 0 is fixed: a and b on it cost 6 + 10 visits and what these lose to
  // each other, whatever moves behind.
  RecordInfo R = record({field("a", 8), field("b", 56, 8), field("c", 8),
                         field("d", 64, 8), field("e", 8)},
                        64);
  std::vector<CoAccessSet> Sets{
      visit(6, {touch(0, 1, 1)}, CpuRelation::Local),
      visit(10, {touch(1)}, CpuRelation::Unknown),
      visit(3, {touch(2), touch(4)}, CpuRelation::Local)};
  ConstraintOptions C;
  C.Pins = {{0, "x"}, {1, "x"}};
  CostOptions O;
  LayoutCost Model(R, Sets, O);
  FrozenLines Frozen = frozenLines(R, Model, Constraints(R, C));
  EXPECT_EQ(Frozen.Bits, 512u);
  // Of b's 10 visits 1 is remote, a half by each of two CPUs.
  EXPECT_DOUBLE_EQ(Frozen.Cost,
                   6 + 10 + Model.lostCycles() * (2 * 6 * 0.5 / (6 + 0.5)));
  // Behind it c and e share a line in the best order.
  EXPECT_NEAR(certifiedBound(R, Model, Constraints(R, C), 1 << 24).Value,
              Frozen.Cost + 3, 1e-3 * Frozen.Cost);
  C.Pins = {{0, "x"}, {1, "x"}, {2, "x"}, {3, "x"}, {4, "x"}};
  EXPECT_DOUBLE_EQ(certifiedBound(R, Model, Constraints(R, C), 1 << 24).Value,
                   Model.price(statedLayout(R)).total());
}

TEST(CertifiedBound, KnowsHowFarARunOfBitFieldsMaySpread) {
  // 4 bytes fit one line, but the aligned bit-field puts the run on two; what
  // would clash on one line lies apart, for the price of a line that only
  // padding makes. A bound that does not know of that line is above this cost.
  RecordInfo R =
      record({field("count", 2), bits("low", 8), aligned(bits("high", 8), 64)});
  ASSERT_EQ(R.SizeBytes, 128u);
  std::vector<CoAccessSet> Sets{visit(10, {touch(0, 1, 1), touch(1, 1, 1)}),
                                visit(10, {touch(2)}, CpuRelation::Remote)};
  CostOptions O;
  O.InstanceAlignBytes = 64;
  LayoutCost Model(R, Sets, O);
  Constraints Rules(R);
  EXPECT_EQ(Model.minimumLines(), 1u);
  EXPECT_GE(LineProblem(R, Model, Rules, 0).extraLines(), 1);
  // A line for each visit, and one of padding.
  EXPECT_DOUBLE_EQ(Model.price(statedLayout(R)).total(), 10 + 10 + 0.01 * 20);
  EXPECT_LE(certifiedBound(R, Model, Rules, 1 << 20).Value,
            Model.price(statedLayout(R)).total());
}

TEST(CertifiedBound, IsExactWhereLinesAreSimple) {
  // Two groups of eight words, each visited as a whole, one line each; what
  // the declared order mixes up costs two lines a visit.
  std::vector<FieldInfo> Fields;
  for (int I = 0; I < 16; ++I)
    Fields.push_back(field("word", 8));
  RecordInfo R = record(Fields, 64);
  std::vector<CoAccessSet> Sets{visit(10, {}), visit(3, {})};
  for (uint32_t F = 0; F < 16; ++F)
    Sets[F % 2].Touches.push_back(touch(F));
  LayoutCost Model(R, Sets);
  EXPECT_DOUBLE_EQ(Model.price(statedLayout(R)).total(), 26);
  EXPECT_NEAR(certifiedBound(R, Model, Constraints(R), 1 << 24).Value, 13,
              1e-6);
}

TEST(CertifiedBound, KnowsThatFullLinesMustShare) {
  // Nine words in two lines, each visited by itself by one CPU: a line each
  // would cost 9 * 10, and that is the bound of single sets. But a line holds
  // eight words, so two visits of a pair that is always together...
  std::vector<FieldInfo> Fields;
  for (int I = 0; I < 9; ++I)
    Fields.push_back(field("word", 8));
  RecordInfo R = record(Fields, 64);
  std::vector<FieldTouch> All;
  for (uint32_t F = 0; F < 9; ++F)
    All.push_back(touch(F));
  // One visit of all nine (two lines in any order), and for each field one of
  // it and the next: nine pairs in a ring, of which a line for eight and one
  // for the ninth cut two.
  std::vector<CoAccessSet> Sets{visit(1, All)};
  for (uint32_t F = 0; F < 9; ++F) {
    uint32_t G = (F + 1) % 9;
    Sets.push_back(visit(10, {touch(std::min(F, G)), touch(std::max(F, G))}));
  }
  LayoutCost Model(R, Sets);
  double Best = Model.price(statedLayout(R)).total();
  EXPECT_DOUBLE_EQ(Best, 2 * 1 + 9 * 10 + 2 * 10);
  EXPECT_DOUBLE_EQ(lowerBound(R, Model), 2 * 1 + 9 * 10);
  double Bound = certifiedBound(R, Model, Constraints(R), 1 << 24).Value;
  EXPECT_GT(Bound, lowerBound(R, Model) + 10);
  EXPECT_LE(Bound, Best);
}

/// Least cost of all partitions into lines, without crossing items: each item
/// joins a line or opens one.
double cheapestPartition(const LineProblem &Problem,
                         std::vector<std::vector<uint32_t>> &Lines,
                         uint32_t Item) {
  if (Item == Problem.itemCount()) {
    double Extra =
        std::max(0.0, static_cast<double>(Lines.size()) - Problem.freeLines());
    if (Extra > Problem.extraLines())
      return std::numeric_limits<double>::infinity();
    double Sum = Extra * Problem.linePrice();
    for (const auto &Line : Lines)
      Sum += Problem.cost(Line);
    return Sum;
  }
  double Least = std::numeric_limits<double>::infinity();
  for (size_t L = 0; L <= Lines.size(); ++L) {
    if (L == Lines.size())
      Lines.emplace_back();
    uint32_t Bits = Problem.item(Item).Bits;
    bool Meets = true;
    for (uint32_t Other : Lines[L]) {
      Bits += Problem.item(Other).Bits;
      Meets &= Problem.mayMeet(Item, Other);
    }
    if (Meets && Bits <= Problem.lineBits()) {
      Lines[L].push_back(Item);
      Least = std::min(Least, cheapestPartition(Problem, Lines, Item + 1));
      Lines[L].pop_back();
    }
    if (Lines[L].empty()) {
      Lines.resize(L);
      break;
    }
  }
  return Least;
}

TEST(ExactPartition, EqualsTheCheapestOfAllPartitions) {
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Rng(Seed);
    // Fields no longer than their alignment never cross: 8 of 8 to 32 bytes.
    std::vector<FieldInfo> Fields;
    for (uint32_t I = 0; I < 8; ++I) {
      uint32_t Bytes = 8u << Rng() % 3;
      Fields.push_back(field("f", Bytes, Bytes));
    }
    RecordInfo R = record(std::move(Fields), 64);
    std::vector<CoAccessSet> Sets = randomSets(Rng, 8, 1 + Rng() % 8);
    CostOptions O;
    O.LambdaPad = Rng() % 2 ? 0.01 : 0.5;
    O.On = lineMachine(Rng() % 2 ? 4 : 20);
    LayoutCost Model(R, Sets, O);
    LineProblem Problem(R, Model, Constraints(R), 0);
    ExactPartition Found =
        exactPartition(Problem, partitionBound(Problem, 1 << 24), 1 << 24);
    std::vector<std::vector<uint32_t>> Lines;
    double Least = cheapestPartition(Problem, Lines, 0);
    ASSERT_TRUE(Found.Exact) << "seed " << Seed;
    ASSERT_NEAR(Found.Value, Least, 1e-9 * Least) << "seed " << Seed;
  }
}

TEST(ExactPartition, SaysHowFarItGotWhenTheEffortEnds) {
  std::mt19937 Rng(7);
  std::vector<FieldInfo> Fields;
  for (uint32_t I = 0; I < 20; ++I)
    Fields.push_back(field("f", 8, 8));
  RecordInfo R = record(std::move(Fields), 64);
  std::vector<CoAccessSet> Sets = randomSets(Rng, 20, 30);
  LayoutCost Model(R, Sets);
  LineProblem Problem(R, Model, Constraints(R), 0);
  PartitionBound Program = partitionBound(Problem, 1 << 24);
  double Full = exactPartition(Problem, Program, 1 << 30).Value;
  for (int Power = 0; Power < 30; Power += 3) {
    ExactPartition Part = exactPartition(Problem, Program, 1ull << Power);
    EXPECT_GE(Part.Value, Program.Value * (1 - 1e-9));
    EXPECT_LE(Part.Value, Full * (1 + 1e-12));
    EXPECT_FALSE(Power < 6 && Part.Exact);
  }
}

} // namespace
