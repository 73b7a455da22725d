// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that are lost to other CPUs, term by term as in Sharing.h, and against
// visits that are drawn one by one.

#include "../layout/Records.h"

#include "hybrid/affinity/Conflicts.h"
#include "hybrid/affinity/Ownership.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace kst;
using namespace kst::test;

namespace {

/// Of W writes and V visits in random order: visits after a write.
double m(double W, double V) { return W * V / (W + V); }

/// Of a line with these fields, n = 2.
double lostOf(const std::vector<CoAccessSet> &Sets,
              const std::vector<uint32_t> &Fields,
              const SharingOptions &Options = {}) {
  LineUse Line;
  for (const CoAccessSet &Set : Sets) {
    double Untouched = 1, Unwritten = 1;
    for (const FieldTouch &T : Set.Touches)
      if (std::ranges::count(Fields, T.Field)) {
        Untouched *= 1 - T.Probability;
        Unwritten *= 1 - writeChance(T);
      }
    Line.add(meetingVisits(Set, Options), 1 - Untouched, 1 - Unwritten);
  }
  return lostVisits(Line, Options);
}

TEST(Sharing, LocalWritersAgainstRemoteReaders) {
  // A visit dirties the line once, not seven times; each of the two other CPUs
  // visits 15 times and loses its copy to the owner's 100 writes.
  std::vector<CoAccessSet> Sets{
      visit(100, {touch(0, 1, 7)}, CpuRelation::Local),
      visit(30, {touch(1), touch(2)}, CpuRelation::Remote)};
  EXPECT_DOUBLE_EQ(lostOf(Sets, {0, 1}), 2 * m(100, 15));
  EXPECT_DOUBLE_EQ(lostOf(Sets, {0, 1, 2}), 2 * m(100, 15));
  EXPECT_EQ(lostOf(Sets, {0}), 0);
  EXPECT_EQ(lostOf(Sets, {1, 2}), 0);
}

TEST(Sharing, SlopesAreBelowWhatMoreUseCosts) {
  std::mt19937 Random(7);
  auto Draw = [&](double Most) {
    return Random() % 4 ? std::uniform_real_distribution(0.0, Most)(Random) : 0;
  };
  for (int Trial = 0; Trial < 20000; ++Trial) {
    auto Use = [&](double Size) {
      return LineUse{{Draw(Size), Draw(Size), Draw(Size)},
                     {Draw(Size), Draw(Size), 0, Draw(Size)}};
    };
    const LineUse From = Use(10), Most = Use(Trial % 2 ? 1 : 1000);
    Turns How{1 + Draw(5)};
    if (Trial % 3)
      How.Stays = Draw(Trial % 3 == 1 ? 3 : 300);
    const LineUse Slopes = lostSlopes(From, Most, How);
    const LineUse More{
        {Draw(Most.Uses.Owner), Draw(Most.Uses.Others), Draw(Most.Uses.Holder)},
        {Draw(Most.Writes.Owner), Draw(Most.Writes.Others), 0,
         Draw(Most.Writes.Waiters)}};
    EXPECT_LE(lostVisits(From, How) + Slopes * More,
              lostVisits(From + More, How) * (1 + 1e-12) + 1e-12)
        << How.Stays;
  }
  // One chord alone is exact at its end.
  const LineUse From{{3, 2}, {1, 4}}, Most{{5, 0}, {0, 0}};
  for (Turns How : {Turns{2}, Turns{2, 6}})
    EXPECT_NEAR(lostVisits(From, How) + lostSlopes(From, Most, How) * Most,
                lostVisits(From + Most, How), 1e-6);
}

TEST(Sharing, ArrivalsTakeTheLineFromWhoHoldsTheLock) {
  FieldTouch Data = touch(1, 0.5, 1);
  Data.Reads = 2; // three accesses a hold
  const std::vector<CoAccessSet> Sets{visit(10, {touch(0, 1, 1), Data}),
                                      visit(90, {touch(1)})};
  SharingOptions How;
  EXPECT_EQ(contention(2, Sets, How), std::vector<LineUse>(2)); // no waiters
  How.Arrivals[0] = 4;
  const std::vector<LineUse> Of = contention(2, Sets, How);
  EXPECT_EQ(Of[0].Writes.Waiters, 40);
  EXPECT_EQ(Of[0].Uses.Holder, 0);
  EXPECT_EQ(Of[1].Uses.Holder, 30); // what nobody holds the lock for is not in
  EXPECT_EQ(lostVisits(Of[0], How) + lostVisits(Of[1], How), 0); // apart
  EXPECT_DOUBLE_EQ(lostVisits(Of[0] + Of[1], How), 10 * 4 * 3 / (4 + 3.0));
}

TEST(Sharing, OnlyTheSharedPartOfASetMeetsOthers) {
  auto Lost = [](double Shared) {
    std::vector<CoAccessSet> Sets{
        visit(10, {touch(0, 1, 1)}, CpuRelation::Local),
        visit(10, {touch(1)}, CpuRelation::Remote)};
    Sets[0].Shared = Shared;
    return lostOf(Sets, {0, 1});
  };
  EXPECT_DOUBLE_EQ(Lost(1), 2 * m(10, 5));
  EXPECT_DOUBLE_EQ(Lost(0.5), 2 * m(5, 5));
  EXPECT_EQ(Lost(0), 0);
}

TEST(Sharing, RemoteWritersAgainstTheOwnerAndTheirPeers) {
  std::vector<CoAccessSet> Sets{
      visit(40, {touch(0, 1, 1)}, CpuRelation::Remote),
      visit(25, {touch(1)}, CpuRelation::Local),
      visit(50, {touch(1)}, CpuRelation::Remote)};
  // 40 writes against the owner's 25 visits; each peer's 45 visits against the
  // 20 writes of the other.
  EXPECT_DOUBLE_EQ(lostOf(Sets, {0, 1}), m(40, 25) + 2 * m(20, 45));
  SharingOptions Alone;
  Alone.OtherCpus = 1;
  EXPECT_DOUBLE_EQ(lostOf(Sets, {0, 1}, Alone), m(40, 25));
}

TEST(Sharing, UnknownVisitsAreATenthRemote) {
  std::vector<CoAccessSet> Sets{
      visit(80, {touch(0, 1, 1)}, CpuRelation::Unknown),
      visit(80, {touch(1)}, CpuRelation::Unknown)};
  EXPECT_DOUBLE_EQ(lostOf(Sets, {0, 1}), m(8, 144) + 2 * m(72 + 4, 8));
}

/// A line with all fields of the sets, whose visits are drawn one by one.
class DrawnLine {
public:
  explicit DrawnLine(size_t Cpus) : Has(Cpus) {}

  void visit(const CoAccessSet &Set, size_t Cpu, std::mt19937_64 &Random) {
    std::uniform_real_distribution<double> Draw(0, 1);
    bool Uses = false, Writes = false;
    for (const FieldTouch &T : Set.Touches) {
      const double At = Draw(Random);
      Uses |= At < T.Probability;
      Writes |= At < writeChance(T);
    }
    if (!Uses)
      return;
    Lost += !Has[Cpu];
    if (Writes)
      Has.assign(Has.size(), false);
    Has[Cpu] = true;
  }

  uint64_t Lost = 0; ///< visits that found it taken by another CPU's write

private:
  std::vector<bool> Has; ///< by CPU: its copy is good
};

TEST(Sharing, IsWhatHappensWhenVisitsComeInRandomOrder) {
  // An owner and four others; each visit may touch and write two fields.
  std::mt19937_64 Random(1);
  std::vector<CoAccessSet> Sets{
      visit(300, {touch(0, 0.8, 0.3), touch(1, 0.5, 0.1)}, CpuRelation::Local),
      visit(200, {touch(0, 0.3, 0.2), touch(1, 0.9, 0.05)},
            CpuRelation::Remote)};
  SharingOptions Options;
  Options.OtherCpus = 4;
  constexpr int Visits = 2'000'000;
  DrawnLine Line(5);
  std::uniform_real_distribution<double> Draw(0, 1);
  for (int I = 0; I < Visits; ++I) {
    const bool Remote = Draw(Random) < 0.4;
    Line.visit(Sets[Remote], Remote ? 1 + Random() % 4 : 0, Random);
  }
  EXPECT_NEAR(double(Line.Lost) * 500 / Visits, lostOf(Sets, {0, 1}, Options),
              0.01 * lostOf(Sets, {0, 1}, Options));
}

TEST(Sharing, IsWhatHappensWhenCpusTakeTurns) {
  // The owner and another come in turn, each for some visits by chance.
  std::mt19937_64 Random(2);
  const std::vector<CoAccessSet> Sets{
      visit(300, {touch(0, 0.4, 0.1), touch(1, 0.2, 0.1)}, CpuRelation::Local),
      visit(60, {touch(0, 0.3, 0.2), touch(1, 0.5, 0.05)},
            CpuRelation::Remote)};
  SharingOptions Options;
  Options.OtherCpus = 1;
  Options.Stays = 20; // of 15 visits by the owner, 3 by the other
  constexpr int Stays = 400'000;
  DrawnLine Line(2);
  for (int I = 0; I < 2 * Stays; ++I) {
    const CoAccessSet &Set = Sets[I % 2];
    std::poisson_distribution<int> Number(Set.Weight / Options.Stays);
    for (int Left = Number(Random); Left; --Left)
      Line.visit(Set, I % 2, Random);
  }
  const double Formula = lostOf(Sets, {0, 1}, Options);
  EXPECT_NEAR(double(Line.Lost) * Options.Stays / Stays, Formula,
              0.01 * Formula);
  EXPECT_LT(Formula, 2 * Options.Stays);
}

TEST(Sharing, StaysAreOfSomeAccesses) {
  std::vector<CoAccessSet> Sets{
      visit(100, {touch(0, 1, 7)}, CpuRelation::Local),
      visit(30, {touch(1, 1, 3), touch(2)}, CpuRelation::Remote)};
  SharingOptions Options;
  EXPECT_DOUBLE_EQ(staysOf(Sets, Options), 30); // of a loop over CPUs: each
  Sets[1].Kind = SetKind::Trace;
  EXPECT_DOUBLE_EQ(staysOf(Sets, Options), 30 * 5 / 16.0);
  Options.AccessesPerStay = 0.5; // no more than there are visits
  EXPECT_DOUBLE_EQ(staysOf(Sets, Options), 30);
  Options.AccessesPerStay = 0;
  Options.Stays = 7;
  EXPECT_EQ(staysOf(Sets, Options), 7);
}

TEST(Sharing, WhoVisitsGoesByHowTheInstanceIsFound) {
  SharingOptions Options;
  auto Others = [&](CpuRelation Cpu) {
    return meetingVisits(visit(100, {touch(0)}, Cpu), Options).Others;
  };
  EXPECT_EQ(Others(CpuRelation::Local), 0);
  EXPECT_EQ(Others(CpuRelation::Remote), 100);
  EXPECT_EQ(Others(CpuRelation::Unknown), 100 * Options.UnknownRemoteShare);
  EXPECT_EQ(Others(CpuRelation::Chosen), 100 * Options.ChosenRemoteShare);
  // Nobody but one CPU was seen to use the objects.
  Ownership Users;
  Users.OthersShare = 0;
  Options = sharingOptions({}, Users, {});
  EXPECT_EQ(Others(CpuRelation::Chosen), 0);
}

TEST(Conflicts, AreWhatTwoFieldsLoseByMeeting) {
  std::vector<CoAccessSet> Sets{
      visit(100, {touch(0, 1, 1)}, CpuRelation::Local),
      visit(30, {touch(1), touch(2)}, CpuRelation::Remote),
      visit(50, {touch(1, 1, 1)}, CpuRelation::Local)};
  Conflicts C(3, Sets);
  EXPECT_DOUBLE_EQ(C.between(0, 1), lostOf(Sets, {0, 1}) - lostOf(Sets, {1}));
  EXPECT_DOUBLE_EQ(C.between(1, 0), C.between(0, 1));
  EXPECT_GT(C.between(0, 1), 0);
  // Lost together or apart: 1 and 2 are used by the same remote visits.
  EXPECT_EQ(C.between(1, 2), 0);
  ASSERT_EQ(C.of(0).size(), 2u);
}

TEST(Conflicts, TrueSharingIsNone) {
  std::vector<CoAccessSet> Sets{
      visit(40, {touch(0, 1, 1), touch(1, 1, 1)}, CpuRelation::Local),
      visit(50, {touch(0), touch(1)}, CpuRelation::Remote)};
  EXPECT_EQ(Conflicts(2, Sets).between(0, 1), 0);
}

} // namespace
