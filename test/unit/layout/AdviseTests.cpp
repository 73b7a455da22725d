// SPDX-License-Identifier: GPL-2.0-or-later
//
// The whole layout stage on evidence whose right answer a person can see.

#include "Records.h"

#include "hybrid/affinity/Ownership.h"
#include "hybrid/layout/Advise.h"
#include "hybrid/layout/SearchSpace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace kst;
using namespace kst::test;

namespace {

/// The lines that a field reaches in an instance that starts on a line.
std::set<uint64_t> linesOf(const RecordInfo &R, const Layout &Plan, uint32_t F,
                           uint64_t LineBytes = 64) {
  uint64_t First = Plan.OffsetBits[F] / 8;
  uint64_t Last = First + R.Fields[F].SizeBits / 8 - 1;
  return {First / LineBytes, Last / LineBytes};
}

std::set<uint64_t> linesOf(const RecordInfo &R, const Layout &Plan,
                           const std::vector<uint32_t> &Fields,
                           uint64_t LineBytes = 64) {
  std::set<uint64_t> All;
  for (uint32_t F : Fields)
    All.merge(linesOf(R, Plan, F, LineBytes));
  return All;
}

void expectSound(const AffinityEvidence &E, const Advice &A) {
  Layout Again = FieldOffsets(E.Record).layout(A.Proposed.Plan.Order);
  EXPECT_EQ(Again.OffsetBits, A.Proposed.Plan.OffsetBits);
  EXPECT_EQ(Again.SizeBytes, A.Proposed.Plan.SizeBytes);
  EXPECT_LE(A.Proposed.Price.total(), A.Current.Price.total());
  EXPECT_LE(A.Proposed.LowerBound, A.Proposed.Price.total() * (1 + 1e-9));
  ASSERT_FALSE(A.Frontier.empty());
  EXPECT_EQ(A.Frontier.front().Moves, 0u);
  EXPECT_DOUBLE_EQ(A.Frontier.front().TotalCost, A.Current.Price.total());
  EXPECT_DOUBLE_EQ(A.Frontier.back().TotalCost,
                   A.Best ? A.Best->Objective : A.Proposed.Price.total());
  for (size_t I = 1; I < A.Frontier.size(); ++I) {
    EXPECT_GT(A.Frontier[I].Moves, A.Frontier[I - 1].Moves);
    EXPECT_LT(A.Frontier[I].TotalCost, A.Frontier[I - 1].TotalCost);
  }
  EXPECT_FALSE(A.Reasons.empty());
}

/// A per-CPU record: a lock, seven fields that other CPUs read together, five
/// clocks that the owner reads and writes together, sixty others. The groups
/// are scattered over the record, as they are in real ones.
struct PerCpuRecord {
  AffinityEvidence Evidence;
  uint32_t Lock = 0;
  std::vector<uint32_t> Seven, Clocks;

  PerCpuRecord() {
    std::vector<FieldInfo> Fields;
    auto Add = [&](const std::string &Name, uint32_t Bytes) {
      Fields.push_back(field(Name, Bytes));
      return static_cast<uint32_t>(Fields.size() - 1);
    };
    Lock = Add("lock", 4);
    const uint32_t SevenBytes[] = {4, 4, 4, 4, 8, 8, 8};
    uint32_t Other = 0;
    auto AddOthers = [&](int Count) {
      for (int I = 0; I < Count; ++I, ++Other)
        Add("other" + std::to_string(Other), Other % 3 ? 8 : 4);
    };
    for (uint32_t I = 0; I < 7; ++I) {
      Seven.push_back(Add("seven" + std::to_string(I), SevenBytes[I]));
      AddOthers(4);
      if (I < 5) {
        Clocks.push_back(Add("clock" + std::to_string(I), 8));
        AddOthers(2);
      }
    }
    AddOthers(60 - static_cast<int>(Other));
    Evidence.Record = record(Fields, 64);

    auto Visit = [&](double W, CpuRelation Cpu, std::vector<FieldTouch> T) {
      std::sort(T.begin(), T.end(),
                [](auto &A, auto &B) { return A.Field < B.Field; });
      CoAccessSet S = visit(W, T, Cpu);
      S.Where = {"f" + std::to_string(Evidence.Sets.size()), "sample.c", 7};
      Evidence.Sets.push_back(S);
    };
    Visit(700, CpuRelation::Local, {touch(Lock, 1, 1)});
    Visit(300, CpuRelation::Remote, {touch(Lock, 1, 1)});
    std::vector<FieldTouch> T;
    for (uint32_t F : Seven)
      T.push_back(touch(F, 0.9));
    Visit(500, CpuRelation::Remote, T);
    T = {touch(Seven[0], 1, 1), touch(Seven[4], 1, 1)};
    Visit(15, CpuRelation::Local, T); // rarely written
    T.clear();
    for (uint32_t F : Clocks)
      T.push_back(touch(F, 1, 0.5));
    Visit(800, CpuRelation::Local, T);
    // Weak use of others, so that they are not all cold.
    for (uint32_t F = 1; F + 9 < Fields.size(); F += 5)
      Visit(3, CpuRelation::Unknown, {touch(F), touch(F + 9, 0.5, 0.5)});
  }
};

TEST(Advise, KeepsReadMostlyFieldsAwayFromWhatOthersWrite) {
  PerCpuRecord Sample;
  const RecordInfo &R = Sample.Evidence.Record;
  Advice A = advise(Sample.Evidence);
  expectSound(Sample.Evidence, A);
  ASSERT_EQ(A.What, Verdict::Reorder);
  auto Seven = linesOf(R, A.Proposed.Plan, Sample.Seven);
  auto Clocks = linesOf(R, A.Proposed.Plan, Sample.Clocks);
  auto Lock = linesOf(R, A.Proposed.Plan, Sample.Lock);
  EXPECT_EQ(Seven.size(), 1u);
  EXPECT_EQ(Clocks.size(), 1u);
  EXPECT_NE(Seven, Clocks);
  EXPECT_NE(Lock, Seven);
  EXPECT_NE(Lock, Clocks);
  EXPECT_GT(A.Current.Price.total(), 1.5 * A.Proposed.Price.total());
}

TEST(Advise, DoesSoForLongLinesAndForUnalignedInstances) {
  for (uint32_t LineBytes : {64u, 128u})
    for (uint32_t Align : {64u, 16u}) {
      PerCpuRecord Sample;
      LayoutOptions O;
      O.LineBytes = LineBytes;
      O.InstanceAlignBytes = Align;
      Advice A = advise(Sample.Evidence, O);
      expectSound(Sample.Evidence, A);
      EXPECT_EQ(A.What, Verdict::Reorder) << LineBytes << " " << Align;
    }
}

TEST(Advise, IsDeterministic) {
  PerCpuRecord Sample;
  Advice A = advise(Sample.Evidence), B = advise(Sample.Evidence);
  EXPECT_EQ(A.Proposed.Plan.Order, B.Proposed.Plan.Order);
  EXPECT_EQ(A.Reasons, B.Reasons);
}

TEST(Advise, ASecondRunOnItsOwnProposalKeeps) {
  PerCpuRecord Sample;
  Advice First = advise(Sample.Evidence);
  // The record as if the proposal had been applied.
  AffinityEvidence Next;
  std::vector<uint32_t> NewIndex(Sample.Evidence.Record.Fields.size());
  std::vector<FieldInfo> Fields;
  for (uint32_t F : First.Proposed.Plan.Order) {
    NewIndex[F] = static_cast<uint32_t>(Fields.size());
    Fields.push_back(Sample.Evidence.Record.Fields[F]);
  }
  Next.Record = record(Fields, 64);
  for (CoAccessSet S : Sample.Evidence.Sets) {
    for (FieldTouch &T : S.Touches)
      T.Field = NewIndex[T.Field];
    std::sort(S.Touches.begin(), S.Touches.end(),
              [](auto &A, auto &B) { return A.Field < B.Field; });
    Next.Sets.push_back(S);
  }
  Advice Second = advise(Next);
  EXPECT_EQ(Second.What, Verdict::Keep);
  EXPECT_EQ(Second.Proposed.Plan.Order, declarationOrder(Next.Record));
}

TEST(Advise, NoSetsIsNoEvidence) {
  AffinityEvidence E;
  E.Record = record({field("a", 8), field("b", 8)});
  EXPECT_EQ(advise(E).What, Verdict::InsufficientEvidence);
  E.Sets = {visit(5, {touch(0)})}; // one field alone
  Advice A = advise(E);
  EXPECT_EQ(A.What, Verdict::InsufficientEvidence);
  EXPECT_EQ(A.Proposed.Plan.Order, declarationOrder(E.Record));
  ASSERT_EQ(A.Reasons.size(), 1u);
}

TEST(Advise, ExpectedLinesCountLinesWhoeverVisits) {
  // a and b on line 0, c on line 1 of an aligned instance.
  RecordInfo R = record(
      {field("a", 8), field("b", 8), field("pad", 48, 8), field("c", 8)}, 64);
  for (CpuRelation Cpu : {CpuRelation::Local, CpuRelation::Remote,
                          CpuRelation::Chosen, CpuRelation::Unknown}) {
    CoAccessSet Set = visit(9, {touch(0, 0.5), touch(1, 0.5), touch(3)}, Cpu);
    EXPECT_DOUBLE_EQ(expectedLines(R, Set, statedLayout(R)),
                     (1 - 0.5 * 0.5) + 1);
  }
}

TEST(Advise, AGoodOrderIsKept) {
  AffinityEvidence E;
  E.Record = record({field("a", 8), field("b", 8), field("cold", 200, 8)}, 64);
  E.Sets = {visit(5, {touch(0), touch(1)})};
  Advice A = advise(E);
  EXPECT_EQ(A.What, Verdict::Keep);
  EXPECT_EQ(A.Frontier.size(), 1u);
  expectSound(E, A);
}

TEST(Advise, PinnedUnionRandomizedAndUnpredictableRecordsAreKept) {
  auto Bad = [] { // a and b are used together, a line apart
    AffinityEvidence E;
    E.Record =
        record({field("a", 8), field("cold", 120, 8), field("b", 8)}, 64);
    E.Sets = {visit(5, {touch(0), touch(2)})};
    return E;
  };
  EXPECT_EQ(advise(Bad()).What, Verdict::Reorder);

  LayoutOptions Pinned;
  for (uint32_t F = 0; F < 3; ++F)
    Pinned.Pins.push_back({F, "asked for"});
  Advice A = advise(Bad(), Pinned);
  EXPECT_EQ(A.What, Verdict::Keep);
  EXPECT_EQ(A.Constraints.size(), 3u);
  EXPECT_EQ(A.Reasons.front(),
            "Keep the order: no touched field may move: a: pinned: asked for; "
            "cold: pinned: asked for; b: pinned: asked for.");
  EXPECT_TRUE(A.Fixed);
  EXPECT_FALSE(A.Proven); // there was nothing to choose from

  AffinityEvidence E = Bad();
  E.Record.RandomizeLayout = true;
  A = advise(E);
  EXPECT_EQ(A.What, Verdict::Keep);
  EXPECT_EQ(A.Reasons.front(), "Keep the order: nothing may move: "
                               "__randomize_layout: the compiler plugin "
                               "chooses the order.");
  EXPECT_TRUE(A.Fixed);
  EXPECT_FALSE(A.Proven);
  E = Bad();
  E.Record.Fields[2].OffsetBits += 64;
  E.Record.SizeBytes += 8;
  A = advise(E);
  EXPECT_EQ(A.What, Verdict::Keep);
  EXPECT_NE(A.Reasons.front().find("'b'"), std::string::npos);
  EXPECT_NE(A.Reasons.front().find("at byte 136"), std::string::npos);
}

TEST(Advise, FewerMovesAreOnTheFrontier) {
  PerCpuRecord Sample;
  Advice A = advise(Sample.Evidence);
  ASSERT_GE(A.Frontier.size(), 5u);
  double All = A.Current.Price.total() - A.Frontier.back().TotalCost;
  // A dozen moves bring most of the gain: two groups of seven and five.
  for (const FrontierPoint &P : A.Frontier)
    EXPECT_EQ(P.Moved.size(), P.Moves);
  double Few = 0;
  for (const FrontierPoint &P : A.Frontier)
    if (P.Moves <= 14)
      Few = A.Current.Price.total() - P.TotalCost;
  EXPECT_GT(Few, 0.8 * All);
}

TEST(Advise, RandomRecordsNeverGetWorse) {
  std::mt19937 Rng(11);
  LayoutOptions O;
  O.Budget = 3'000'000;
  for (int I = 0; I < 60; ++I) {
    AffinityEvidence E;
    uint32_t N = 2 + Rng() % 40;
    E.Record = randomRecord(Rng, N);
    E.Sets = randomSets(Rng, N, 1 + Rng() % 30);
    O.Aligned = Rng() % 2 ? AlignedRule::Anchor : AlignedRule::ImmovableField;
    O.LineBytes = Rng() % 2 ? 64 : 128;
    Advice A = advise(E, O);
    expectSound(E, A);
    // What was proposed keeps the rules.
    Constraints Rules(E.Record, O);
    MoveUnitOrder MoveUnits;
    for (uint32_t F : A.Proposed.Plan.Order)
      if (MoveUnits.empty() || MoveUnits.back() != Rules.moveUnitOf(F))
        MoveUnits.push_back(Rules.moveUnitOf(F));
    EXPECT_TRUE(Rules.legal(MoveUnits));
  }
}

/// A count that each user of an object writes, and what all of them read, on
/// one line; one visit in ten needs both.
AffinityEvidence countedObject() {
  std::vector<FieldInfo> Fields{field("count", 8), field("mode", 8),
                                field("op", 8)};
  for (int I = 0; I < 8; ++I)
    Fields.push_back(field("cold" + std::to_string(I), 8));
  AffinityEvidence E;
  E.Record = record(Fields);
  const CpuRelation Unknown = CpuRelation::Unknown;
  E.Sets = {visit(60, {touch(1), touch(2)}, Unknown),
            visit(30, {touch(0, 1, 1)}, Unknown),
            visit(10, {touch(0, 1, 1), touch(1), touch(2)}, Unknown)};
  return E;
}

/// A lock beside the list that its holder walks and changes, and cold fields.
AffinityEvidence lockedList() {
  std::vector<FieldInfo> Fields{field("lock", 8), field("list", 8)};
  for (int I = 0; I < 14; ++I)
    Fields.push_back(field("cold" + std::to_string(I), 8));
  AffinityEvidence E;
  E.Record = record(Fields);
  FieldTouch List = touch(1, 1, 2);
  List.Reads = 4;
  E.Sets = {visit(100, {touch(0, 1, 1), List}, CpuRelation::Unknown)};
  return E;
}

TEST(Advise, WhereCpusWaitForALockTheHoldersFieldsAreApart) {
  const AffinityEvidence E = lockedList();
  EXPECT_EQ(advise(E).What, Verdict::Keep); // nobody waits
  LayoutOptions Waited;
  Waited.Arrivals[0] = 3;
  const Advice A = advise(E, Waited);
  ASSERT_EQ(A.What, Verdict::Reorder);
  EXPECT_NE(linesOf(E.Record, A.Proposed.Plan, 0),
            linesOf(E.Record, A.Proposed.Plan, 1));
  // 100 holds lose 3 * 6 / (3 + 6) of their six accesses each.
  EXPECT_NEAR(A.Current.Price.Sharing - advise(E).Current.Price.Sharing,
              4 * 100 * 3 * 6 / 9.0, 1e-6);
  EXPECT_EQ(A.Current.Price.Lines, advise(E).Current.Price.Lines);
  EXPECT_LE(A.ObjectiveBound, A.ObjectiveNew * (1 + 1e-9));
}

bool says(const Advice &A, const std::string &Words) {
  return std::ranges::any_of(A.Reasons, [&](const std::string &Reason) {
    return Reason.find(Words) != std::string::npos;
  });
}

TEST(Advise, WhereNobodyKnowsWhoSharesBothCasesCount) {
  AffinityEvidence E = countedObject();
  const Advice Handed = advise(E);
  EXPECT_EQ(Handed.What, Verdict::Keep); // a second line would cost more
  EXPECT_FALSE(says(Handed, "two cases"));

  E.Users.Cpus.Wanted = 64;
  const Advice Both = advise(E);
  ASSERT_EQ(Both.What, Verdict::Reorder);
  const Layout &Plan = Both.Proposed.Plan;
  EXPECT_NE(linesOf(E.Record, Plan, 0), linesOf(E.Record, Plan, 1));
  EXPECT_EQ(linesOf(E.Record, Plan, 1), linesOf(E.Record, Plan, 2));
  ASSERT_EQ(Both.Configs.size(), 2u);
  EXPECT_TRUE(Both.Configs[1].Shared);
  EXPECT_LT(Both.Configs[1].New.total(), Both.Configs[1].Now.total());
  EXPECT_GT(Both.Configs[0].New.total(), Both.Configs[0].Now.total());
  EXPECT_TRUE(says(Both, "rests on objects that CPUs share"));
  EXPECT_NEAR(Both.ObjectiveNow,
              (Both.Configs[0].Now.total() + Both.Configs[1].Now.total()) / 2,
              1e-9 * Both.ObjectiveNow);
  EXPECT_LE(Both.ObjectiveBound, Both.ObjectiveNew * (1 + 1e-9));

  makeExclusive(E, "--threads 1"); // the control
  EXPECT_EQ(advise(E).What, Verdict::Keep);
}

} // namespace
