// SPDX-License-Identifier: GPL-2.0-or-later
//
// Profiles of programs whose executions are known by hand, on the visits that
// their source shows.

#include "hybrid/affinity/Conflicts.h"
#include "hybrid/affinity/Ownership.h"
#include "hybrid/evidence/ObjectUsers.h"
#include "test/unit/evidence/MeasuredProgram.h"

#include <cmath>

using namespace kst;

namespace {

const char *Branches = R"c(
struct s { long a, b, c, d, e; };
static long leaf(struct s *p) {
  return p->a;
}
void work(struct s *p, int n) {
  p->b++;
  if (n > 3)
    p->c = leaf(p);
  else
    p->d++;
}
void other(struct s *p) {
  p->e++;
}
)c";

/// 100 calls of work, 30 of them with n > 3.
ProfileWriter hundredCalls(const MeasuredProgram &Of, uint32_t MoreBytes = 0) {
  ProfileWriter Out(Of, MoreBytes);
  Out.entry("work", 100)
      .site("work", "p->b++", "b", SiteKind::Read, 100)
      .site("work", "p->b++", "b", SiteKind::Write, 100)
      .site("work", "p->c =", "c", SiteKind::Write, 30)
      .site("work", "p->d++", "d", SiteKind::Read, 70)
      .site("work", "p->d++", "d", SiteKind::Write, 70)
      .entry("leaf", 30)
      .site("leaf", "return p->a", "a", SiteKind::Read, 30)
      .entry("other", 0)
      .site("other", "p->e++", "e", SiteKind::Read, 0)
      .site("other", "p->e++", "e", SiteKind::Write, 0);
  return Out;
}

} // namespace

TEST(MergedSource, MeasuredOnlyIsWhatRan) {
  MeasuredProgram Of(Branches);
  AffinityEvidence Found = Of.measuredOnly(hundredCalls(Of).made());
  ASSERT_EQ(Found.Sets.size(), 1u);
  const CoAccessSet *Set = setOf(Found, "work");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Set->Weight, 100, 1e-9);
  EXPECT_EQ(Set->From.From, Origin::Measured);
  EXPECT_EQ(Set->From.Counted, 100);
  // The callee's field is in the caller's visit, as often as it was called.
  EXPECT_NEAR(touchOf(Set, Of.field("a")).Probability, 0.3, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("b")).Probability, 1, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("c")).Probability, 0.3, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("d")).Probability, 0.7, 1e-9);
  EXPECT_NEAR(Found.Fields[Of.field("b")].Reads, 100, 1e-6);
  EXPECT_NEAR(Found.Fields[Of.field("c")].Writes, 30, 1e-6);
  EXPECT_NEAR(Found.Fields[Of.field("c")].Reads, 0, 1e-9);
  EXPECT_NEAR(Found.Fields[Of.field("a")].Reads, 30, 1e-6);
  EXPECT_EQ(Found.Fields[Of.field("e")].total(), 0);
}

TEST(MergedSource, PriorByHand) {
  MeasuredProgram Of(Branches);
  AffinityEvidence Found = Of.merged(hundredCalls(Of).made());
  const CoAccessSet *Set = setOf(Found, "work");
  ASSERT_TRUE(Set);
  // What the estimate gave the block with `c` per call of work.
  FunctionId Work = Of.Whole->functionsNamed("work").front();
  const TuFacts &Facts = Of.Whole->unitOf(Work);
  const FunctionFact &Fact = *Of.Whole->Functions[Work].Fact;
  double Guess = 0;
  for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I)
    if (Facts.Accesses[I].Line == Of.line("p->c ="))
      Guess =
          Facts.Blocks[Fact.Blocks.Begin + Facts.Accesses[I].Block].Frequency;
  ASSERT_GT(Guess, 0);
  // The block by the formula; then what was counted, 30 writes, holds p down.
  double Block = (2 * Guess + 30) / (2 + 100);
  double P = touchOf(Set, Of.field("c")).Probability;
  EXPECT_LE(P, Block);
  EXPECT_NEAR(P, Block, 0.01 * Block);
  EXPECT_GT(P, 0.3);
  // `other` was counted and never ran: 3 % of all accesses are left at most.
  // 400 were counted, and a call of `other` makes two.
  const CoAccessSet *Rest = setOf(Found, "other");
  ASSERT_TRUE(Rest);
  FunctionId Other = Of.Whole->functionsNamed("other").front();
  EXPECT_LT(Rest->Weight, 2.0 / 3 * Found.Covered.StaticScale *
                              Of.Static->Often.Total[Other]);
  EXPECT_NEAR(Rest->Weight, 0.03 / 0.97 * 400 / 2, 0.1);
  EXPECT_EQ(Rest->From.From, Origin::NotReached);
  EXPECT_EQ(Found.Origins[Of.field("e")].From, Origin::NotReached);
  EXPECT_EQ(Found.Origins[Of.field("b")].From, Origin::Measured);
  EXPECT_EQ(Found.Origins[Of.field("b")].Reads, 100u);
  EXPECT_LT(Set->From.Weight.Low, Set->Weight);
  EXPECT_GT(Set->From.Weight.High, Set->Weight);
  // Much surer of what was counted than of what was not.
  EXPECT_LT(Set->From.Weight.High / Set->Weight, 1.3);
  EXPECT_EQ(Rest->From.Weight.Low, 0);
  EXPECT_DOUBLE_EQ(Rest->From.Weight.High, Rest->Weight);
}

/// Counted accesses as a share of all in the result.
static double countedShare(const AffinityEvidence &E) {
  double All = 0, Counted = 0;
  for (const CoAccessSet &Set : E.Sets)
    for (const FieldTouch &T : Set.Touches) {
      All += Set.Weight * (T.Reads + T.Writes);
      Counted += Set.Weight * (T.Reads + T.Writes) * Set.From.MeasuredShare;
    }
  return Counted / All;
}

TEST(MergedSource, WhatNeverRanIsBoundedByAccesses) {
  // One call of `print` makes as many accesses as ten of `work`.
  MeasuredProgram Of(R"c(
struct s { long a, b, c, d, e; };
void work(struct s *p) {
  p->a++;
}
long print(struct s *p) {
  return p->a + p->b + p->c + p->d + p->e + p->a * p->b * p->c * p->d * p->e +
         (p->a ^ p->b ^ p->c ^ p->d ^ p->e) + (p->a | p->b | p->c | p->d);
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 1000)
      .site("work", "p->a++", "a", SiteKind::Read, 1000)
      .site("work", "p->a++", "a", SiteKind::Write, 1000)
      .entry("print", 0)
      .site("print", "return p->a", "a", SiteKind::Read, 0);
  AffinityEvidence Found = Of.merged(Out.made());
  ASSERT_TRUE(setOf(Found, "print"));
  EXPECT_GE(countedShare(Found), 0.969);
  EXPECT_LT(countedShare(Found), 0.99);
}

TEST(MergedSource, WhatNeverRanIsBoundedThroughHelpersToo) {
  // Most accesses of `never` are in a helper that does not know struct s.
  MeasuredProgram Of(R"c(
struct list { struct list *next, *prev; };
struct s { long a; struct list l; };
void work(struct s *p) {
  p->a++;
}
static void turn(struct list *l) {
  struct list *next = l->next;
  l->next = l->prev;
  l->prev = next;
}
void never(struct s *p) {
  p->a++;
  turn(&p->l); turn(&p->l); turn(&p->l); turn(&p->l); turn(&p->l);
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 1000)
      .site("work", "p->a++", "a", SiteKind::Read, 1000)
      .site("work", "p->a++", "a", SiteKind::Write, 1000)
      .entry("never", 0)
      .site("never", "p->a++", "a", SiteKind::Read, 0);
  AffinityEvidence Found = Of.merged(Out.made());
  const CoAccessSet *Never = setOf(Found, "never");
  ASSERT_TRUE(Never);
  EXPECT_GT(touchOf(Never, Of.field("l")).Reads, 2);
  EXPECT_GE(countedShare(Found), 0.969);
  EXPECT_LE(Never->From.Weight.Low, Never->Weight);
  EXPECT_GE(Never->From.Weight.High, Never->Weight);
}

TEST(MergedSource, FirstBitFieldsFollowWhatRanAroundThem) {
  // Counters see no access of `kind` behind a pointer, but ten of others.
  MeasuredProgram Of(R"c(
struct s { unsigned kind : 4, state : 4; int users; long late : 3; };
static int kindOf(struct s *p) {
  return p->kind;
}
void work(struct s *p) {
  p->users = kindOf(p);
  if (p->users > 3)
    p->late = 0;
}
)c");
  auto Profile = [&] {
    ProfileWriter Out(Of);
    Out.entry("work", 1000)
        .site("work", "p->users =", "users", SiteKind::Write, 1000)
        .site("work", "if (p->users", "users", SiteKind::Read, 1000)
        .site("work", "p->late =", "late", SiteKind::Write, 0)
        .site("work", "p->users =", "kind", SiteKind::Read, 10);
    return Out;
  };
  AffinityEvidence Found = Of.merged(Profile().counters().made());
  EXPECT_NEAR(Found.Fields[Of.field("kind")].Reads, 1000, 10);
  EXPECT_EQ(Found.Origins[Of.field("kind")].From, Origin::Derived);
  EXPECT_EQ(Found.Origins[Of.field("users")].From, Origin::Measured);
  // kindOf() has no counter that could see it: not code that was left out.
  EXPECT_EQ(Found.Covered.Profiles[0].FunctionsNotInstrumented, 0u);
  // Of a bit-field further behind everything was seen.
  EXPECT_LT(Found.Fields[Of.field("late")].Writes, 10);
  // So it was by a profile that knows accesses by name.
  AffinityEvidence Named = Of.merged(Profile().made());
  EXPECT_NEAR(Named.Fields[Of.field("kind")].Reads, 10, 2);
  EXPECT_EQ(Named.Origins[Of.field("kind")].From, Origin::Measured);
}

TEST(MergedSource, OneThreadSharesNothing) {
  MeasuredProgram Of(Branches);
  auto Users = [&](uint64_t ByOwner, uint64_t ByOthers) {
    return Of.merged(hundredCalls(Of).threads(ByOwner, ByOthers).made());
  };
  AffinityEvidence Alone = Users(400, 0);
  EXPECT_TRUE(Alone.Users.Exclusive);
  EXPECT_EQ(Alone.Users.Source, "seen in test.kstp");
  ASSERT_FALSE(Alone.Sets.empty());
  for (const CoAccessSet &Set : Alone.Sets)
    EXPECT_EQ(Set.Cpu, CpuRelation::Local);
  auto Price = [](const AffinityEvidence &E) {
    Conflicts Of(E.Record.Fields.size(), E.Sets,
                 sharingOptions(SharingOptions(), E.Users, E.Sets));
    double Sum = 0;
    for (uint32_t F = 0; F != E.Record.Fields.size(); ++F)
      for (const Conflicts::Neighbour &N : Of.of(F))
        Sum += N.Weight;
    return Sum;
  };
  EXPECT_EQ(Price(Alone), 0);
  // A few accesses by others: as much sharing as they can make.
  AffinityEvidence Mostly = Users(399, 1);
  EXPECT_FALSE(Mostly.Users.Exclusive);
  ASSERT_TRUE(Mostly.Users.OthersShare);
  EXPECT_NEAR(*Mostly.Users.OthersShare, 1.0 / 400, 1e-12);
  // Threads that share, and a profile that does not tell, leave the model's
  // assumption.
  AffinityEvidence Shared = Users(200, 200);
  AffinityEvidence Unknown = Of.merged(hundredCalls(Of).made());
  EXPECT_FALSE(Shared.Users.OthersShare);
  EXPECT_TRUE(Shared.Users.Source.empty());
  EXPECT_FALSE(Unknown.Users.OthersShare);
  EXPECT_GT(Price(Unknown), 0);
  EXPECT_EQ(Price(Shared), Price(Unknown));
  EXPECT_LT(Price(Mostly), 0.1 * Price(Unknown));
  EXPECT_GT(Price(Mostly), 0);
}

TEST(MergedSource, OneProfileThatDoesNotTellLeavesTheUsersUnknown) {
  MeasuredProgram Of(Branches);
  Profile Tells = hundredCalls(Of).threads(400, 0).made();
  Profile Silent = hundredCalls(Of).made();
  EXPECT_FALSE(
      Of.merged({{"a", &Tells, 1}, {"b", &Silent, 1}}).Users.Exclusive);
  AffinityEvidence Both = Of.merged({{"a", &Tells, 1}, {"b", &Tells, 1}});
  EXPECT_TRUE(Both.Users.Exclusive);
  EXPECT_EQ(Both.Users.Source, "seen in a, b");
}

TEST(ObjectUsers, EachObjectHasItsOwner) {
  ObjectUsers Users;
  for (unsigned I = 0; I != 10; ++I) {
    Users.add(0x1000, 0); // CPU 0's object, CPU 1's object
    Users.add(0x2000, 1);
  }
  EXPECT_EQ(Users.counts().ByOthers, 0u);
  EXPECT_EQ(Users.counts().ByOwner, 20u);
  Users.add(0x2000, 0);
  Users.add(0x2000, 2);
  EXPECT_EQ(Users.counts().ByOthers, 2u);
  EXPECT_EQ(Users.counts().ByOwner, 20u);
  // What a trace shows is believed also where it is much; what counters of
  // several threads show is not.
  MeasuredUsers Half{"t", 1, true, 4, UserCounts{2, 2}};
  EXPECT_DOUBLE_EQ(*measuredOwnership({&Half, 1}, 0.1).OthersShare, 0.5);
  Half.Trace = false;
  EXPECT_FALSE(measuredOwnership({&Half, 1}, 0.1).OthersShare);
}

TEST(MergedSource, NeverHitLosesItsWeight) {
  MeasuredProgram Of(R"c(
struct s { long a, b; };
void work(struct s *p, int n) {
  p->a++;
  if (n > 3)
    p->b++;
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 998)
      .site("work", "p->a++", "a", SiteKind::Read, 998)
      .site("work", "p->a++", "a", SiteKind::Write, 998)
      .site("work", "p->b++", "b", SiteKind::Read, 0)
      .site("work", "p->b++", "b", SiteKind::Write, 0);
  AffinityEvidence Found = Of.merged(Out.made());
  EXPECT_LT(touchOf(setOf(Found, "work"), Of.field("b")).Probability, 0.002);
  EXPECT_EQ(Found.Origins[Of.field("b")].From, Origin::NeverHit);
}

TEST(MergedSource, NotInstrumentedKeepsItsScaledEstimate) {
  MeasuredProgram Of(Branches);
  ProfileWriter Out(Of);
  Out.entry("work", 100)
      .site("work", "p->b++", "b", SiteKind::Read, 100)
      .site("work", "p->b++", "b", SiteKind::Write, 100);
  Profile Run = Out.made();
  AffinityEvidence Found = Of.merged(Run);
  FunctionId Other = Of.Whole->functionsNamed("other").front();
  const CoAccessSet *Rest = setOf(Found, "other");
  ASSERT_TRUE(Rest);
  EXPECT_EQ(Rest->From.From, Origin::NotInstrumented);
  EXPECT_NEAR(Rest->Weight,
              Found.Covered.StaticScale * Of.Static->Often.Total[Other], 1e-9);
  EXPECT_EQ(Found.Origins[Of.field("e")].From, Origin::NotInstrumented);
  EXPECT_EQ(setOf(Of.measuredOnly(Run), "other"), nullptr);
}

TEST(MergedSource, TableCallsSplitByEntriesOfTheTargets) {
  MeasuredProgram Of(R"c(
struct s { long top, fast, slow; };
struct ops { void (*run)(struct s *); };
static void fast(struct s *p) { p->fast++; }
static void slow(struct s *p) { p->slow++; }
struct ops First = { .run = fast }, Second = { .run = slow };
void work(struct s *p, const struct ops *o) {
  p->top++;
  o->run(p);
}
)c");
  ProfileWriter Out(Of);
  for (const char *Name : {"fast", "slow"}) {
    uint64_t Count = *Name == 'f' ? 90 : 10;
    Out.entry(Name, Count)
        .site(Name, std::string("p->") + Name, Name, SiteKind::Read, Count)
        .site(Name, std::string("p->") + Name, Name, SiteKind::Write, Count);
  }
  Out.entry("work", 100)
      .site("work", "p->top++", "top", SiteKind::Read, 100)
      .site("work", "p->top++", "top", SiteKind::Write, 100);
  Profile Run = Out.made();
  AffinityEvidence Found = Of.measuredOnly(Run);
  const CoAccessSet *Set = setOf(Found, "work");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(touchOf(Set, Of.field("fast")).Probability, 0.9, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("slow")).Probability, 0.1, 1e-9);
  EXPECT_EQ(setOf(Found, "fast"), nullptr); // all in the caller's visit
  AffinityEvidence Both = Of.merged(Run);
  EXPECT_NEAR(touchOf(setOf(Both, "work"), Of.field("fast")).Probability, 0.9,
              0.02);
}

TEST(MergedSource, CallsInBlocksWithoutSitesFollowTheCallee) {
  // The block of the call has no access; the callee's entries tell how often
  // it ran. `glue` has no site at all.
  MeasuredProgram Of(R"c(
struct s { long a, b; };
static void rare(struct s *p) { p->b++; }
static void glue(struct s *p, int n) {
  if (n > 3)
    rare(p);
}
void work(struct s *p, int n) {
  p->a++;
  glue(p, n);
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 1000)
      .site("work", "p->a++", "a", SiteKind::Read, 1000)
      .site("work", "p->a++", "a", SiteKind::Write, 1000)
      .entry("rare", 20)
      .site("rare", "p->b++", "b", SiteKind::Read, 20)
      .site("rare", "p->b++", "b", SiteKind::Write, 20);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  const CoAccessSet *Set = setOf(Found, "work");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Set->Weight, 1000, 1e-6);
  EXPECT_NEAR(touchOf(Set, Of.field("b")).Probability, 0.02, 1e-6);
  EXPECT_EQ(Found.Sets.size(), 1u);
}

TEST(MergedSource, LoopsGoRoundAsOftenAsCounted) {
  MeasuredProgram Of(R"c(
#include "kernel.h"
struct s { long a, b, c; };
extern struct s instances __percpu_section;
extern int limit;
void sum(void) {
  int cpu;
  for_each_cpu(cpu) {
    struct s *p = per_cpu_ptr(&instances, cpu);
    p->a++;
    if (p->b > limit)
      p->c++;
  }
}
)c");
  ProfileWriter Out(Of);
  Out.entry("sum", 100)
      .site("sum", "p->a++", "a", SiteKind::Read, 400)
      .site("sum", "p->a++", "a", SiteKind::Write, 400)
      .site("sum", "p->b >", "b", SiteKind::Read, 400)
      .site("sum", "p->c++", "c", SiteKind::Read, 40)
      .site("sum", "p->c++", "c", SiteKind::Write, 40);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  const CoAccessSet *Set = setOf(Found, "sum");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Kind, SetKind::Loop);
  EXPECT_NEAR(Set->Weight, 400, 1e-6); // four CPUs a call
  EXPECT_NEAR(touchOf(Set, Of.field("c")).Probability, 0.1, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("a")).Probability, 1, 1e-9);
}

TEST(MergedSource, AccessesByAddressCorrectTheField) {
  // The helper sees only the lock: its accesses are counted by address.
  MeasuredProgram Of(R"c(
#include "kernel.h"
struct s { raw_spinlock_t lock; long a; };
void work(struct s *p) {
  _raw_spin_lock(&p->lock);
  p->a++;
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 50)
      .site("work", "_raw_spin_lock(", "lock", SiteKind::Address, 50)
      .site("work", "p->a++", "a", SiteKind::Read, 50)
      .site("work", "p->a++", "a", SiteKind::Write, 50)
      .byAddress("lock", 150, 50);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  EXPECT_NEAR(Found.Fields[Of.field("lock")].Reads, 150, 1e-6);
  EXPECT_NEAR(Found.Fields[Of.field("lock")].Writes, 50, 1e-6);
  EXPECT_NEAR(touchOf(setOf(Found, "work"), Of.field("lock")).Probability, 1,
              1e-9);
  EXPECT_EQ(Found.Origins[Of.field("lock")].ByAddress, 200u);
  ASSERT_EQ(Found.Covered.Profiles.size(), 1u);
  EXPECT_EQ(Found.Covered.Profiles[0].Accesses, 300u);
  EXPECT_EQ(Found.Covered.Profiles[0].Placed, 100u);
  EXPECT_EQ(Found.Covered.Profiles[0].ByField, 200u);
}

TEST(MergedSource, HandedAddressStandsForWhatTheCalleeDoes) {
  MeasuredProgram Of(R"c(
struct part { int word; };
struct s { long a; struct part inner; long c; };
static void take(struct part *l) {
  l->word = 1;
}
void work(struct s *p) {
  p->a++;
  take(&p->inner);
}
)c");
  for (double Times : {100.0, 0.0}) {
    ProfileWriter Out(Of);
    Out.entry("work", 100)
        .site("work", "p->a++", "a", SiteKind::Read, 100)
        .site("work", "p->a++", "a", SiteKind::Write, 100)
        .site("work", "take(&p", "inner", SiteKind::Address, Times);
    AffinityEvidence Found = Of.measuredOnly(Out.made());
    EXPECT_NEAR(Found.Fields[Of.field("inner")].Writes, Times, 1e-6);
    EXPECT_EQ(Found.Fields[Of.field("inner")].Reads, 0);
  }
}

TEST(MergedSource, WhatFindsNoPlaceIsCountedByReasonAndKept) {
  MeasuredProgram Of(Branches);
  ProfileWriter Out = hundredCalls(Of);
  Out.entry("elsewhere", 10)
      .site("elsewhere", "p->b++", "b", SiteKind::Read, 10)
      .site("elsewhere", "p->b++", "e", SiteKind::Read, 5)
      .site("other", "p->e++", "a", SiteKind::Write, 7);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  const ProfileCoverage &Covered = Found.Covered.Profiles[0];
  EXPECT_EQ(Covered.Accesses, 400u + 22);
  EXPECT_EQ(Covered.Placed, 400u);
  EXPECT_EQ(Covered.NotPlaced.at("function-not-analysed"), 15u);
  EXPECT_EQ(Covered.NotPlaced.at("no-access-of-that-field-there"), 7u);
  const CoAccessSet *Set = setOf(Found, "elsewhere");
  ASSERT_TRUE(Set);
  EXPECT_NEAR(Set->Weight, 10, 1e-9);
  EXPECT_NEAR(touchOf(Set, Of.field("e")).Probability, 0.5, 1e-9);
  EXPECT_NEAR(Found.Fields[Of.field("b")].Reads, 110, 1e-6);
  EXPECT_NEAR(Found.Fields[Of.field("a")].Writes, 7, 1e-6);
}

// The profile names files as its build did, below "..".
TEST(MergedSource, FilesOfOtherFunctionsAreSpelledLikeThoseOfTheSource) {
  MeasuredProgram Of(Branches);
  ProfileWriter Out = hundredCalls(Of);
  Out.siteAt("elsewhere", "../lib/far.c", 12, "b", SiteKind::Read, 10);
  Out.siteAt("outside", "/usr/far.c", 13, "b", SiteKind::Read, 10);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  const CoAccessSet *Set = setOf(Found, "elsewhere");
  ASSERT_TRUE(Set);
  EXPECT_EQ(Set->Where.File, "lib/far.c");
  EXPECT_EQ(Set->Touches[0].Sites[0].Where.File, "lib/far.c");
  ASSERT_TRUE(setOf(Found, "outside"));
  EXPECT_EQ(setOf(Found, "outside")->Where.File, "/usr/far.c");
}

TEST(MergedSource, LongRunDoesNotDrownAShortOne) {
  MeasuredProgram Of(Branches);
  ProfileWriter Long(Of), Short(Of);
  for (auto [Out, C, D] : {std::tuple{&Long, 900u, 100u}, {&Short, 1u, 9u}})
    Out->entry("work", C + D)
        .site("work", "p->b++", "b", SiteKind::Read, C + D)
        .site("work", "p->b++", "b", SiteKind::Write, C + D)
        .site("work", "p->c =", "c", SiteKind::Write, C)
        .site("work", "p->d++", "d", SiteKind::Write, D);
  MergeOptions Only;
  Only.Prior = false;
  Profile LongRun = Long.made(), ShortRun = Short.made();
  std::vector<WeightedProfile> Both = {{"long", &LongRun, 1},
                                       {"short", &ShortRun, 1}};
  // Equally long: (0.9 + 0.1) / 2.
  EXPECT_NEAR(
      touchOf(setOf(Of.merged(Both, Only), "work"), Of.field("c")).Probability,
      0.5, 1e-9);
  Both[0].Weight = 3;
  EXPECT_NEAR(
      touchOf(setOf(Of.merged(Both, Only), "work"), Of.field("c")).Probability,
      0.7, 1e-9);
  Both[0].Weight = 1;
  Only.Pool = true;
  EXPECT_NEAR(
      touchOf(setOf(Of.merged(Both, Only), "work"), Of.field("c")).Probability,
      901.0 / 1010, 1e-9);
}

TEST(MergedSource, SamplesRescaleTheSetsOfTheirFunctions) {
  MeasuredProgram Of(R"c(
struct s { long a, b; };
void first(struct s *p) { p->a++; }
void second(struct s *p) { p->b++; }
)c");
  Profile Samples =
      ProfileWriter(Of).samples("first", 900).samples("second", 100).made();
  AffinityEvidence Found = Of.merged(Samples);
  const CoAccessSet *A = setOf(Found, "first"), *B = setOf(Found, "second");
  ASSERT_TRUE(A && B);
  EXPECT_NEAR(A->Weight / B->Weight, 9, 0.3); // equal work per call
  EXPECT_EQ(Found.Covered.Profiles[0].SamplesUsed, 1000u);
}

TEST(MergedSource, NoSampleWhereManyWereToBeExpectedIsEvidence) {
  MeasuredProgram Of(R"c(
struct s { long a, b, c; };
void first(struct s *p) { p->a++; }
void second(struct s *p) { p->b++; }
void quiet(struct s *p) { p->c++; }
)c");
  auto Ratio = [&](uint64_t Samples) {
    AffinityEvidence Found = Of.merged(ProfileWriter(Of)
                                           .samples("first", Samples)
                                           .samples("second", Samples)
                                           .made());
    const CoAccessSet *A = setOf(Found, "first"), *C = setOf(Found, "quiet");
    return A && C ? C->Weight / A->Weight : -1;
  };
  // All three do the same work and have the same estimate. Sigma^2 is
  // (2 + 2) * 4 / 4 less what the two pairs, which agree, take off: 8 / (2 n /
  // (n + 1) + 2). None of n samples: x = ln(n / x) / Sigma^2.
  for (double N : {10.0, 1000.0, 100000.0}) {
    double Variance = 8 / (2 * N / (N + 1) + 2), X = 1;
    for (int I = 0; I < 200; ++I)
      X += 0.1 * (std::log(N / X) / Variance - X);
    EXPECT_NEAR(Ratio(uint64_t(N)) / (X / N), 1, 0.01) << N;
  }
}

TEST(MergedSource, ProfileOfAnotherLayoutIsRefusedByName) {
  MeasuredProgram Of(Branches);
  Profile Other = hundredCalls(Of, 8).made();
  Result<AffinityEvidence> Found =
      MergedSource(*Of.Whole, *Of.Static, {{"old.kstp", &Other, 1}})
          .evidence("s");
  ASSERT_FALSE(Found);
  EXPECT_NE(Found.error().find("old.kstp"), std::string::npos);
  EXPECT_NE(Found.error().find("48 bytes"), std::string::npos);
}

TEST(MergedSource, EmptyProfileLeavesTheEstimate) {
  MeasuredProgram Of(Branches);
  AffinityEvidence Found = Of.merged(ProfileWriter(Of).made());
  Result<AffinityEvidence> Alone = staticEvidence(*Of.Whole, *Of.Static, "s");
  ASSERT_TRUE(Alone);
  ASSERT_EQ(Found.Sets.size(), Alone->Sets.size());
  for (size_t I = 0; I != Found.Sets.size(); ++I)
    EXPECT_DOUBLE_EQ(Found.Sets[I].Weight, Alone->Sets[I].Weight);
}

TEST(MergedSource, HelperThatSeesOnlyThePartIsAPlace) {
  // Found by its address in a helper: the field stays in its caller's visit.
  MeasuredProgram Of(R"c(
#include "kernel.h"
struct s { long a; struct list_head tasks; };
void work(struct s *p, struct list_head *n) {
  p->a++;
  list_add(n, &p->tasks);
}
)c");
  ProfileWriter Out(Of);
  Out.entry("work", 60)
      .site("work", "p->a++", "a", SiteKind::Read, 60)
      .site("work", "p->a++", "a", SiteKind::Write, 60);
  const FunctionId Helper = Of.Whole->functionsNamed("list_add").front();
  const TuFacts &Facts = Of.Whole->unitOf(Helper);
  const FunctionFact &Fact = *Of.Whole->Functions[Helper].Fact;
  uint32_t Line = 0;
  for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I)
    if (Facts.Accesses[I].Kind == AccessForm::Read)
      Line = Facts.Accesses[I].Line;
  ASSERT_GT(Line, 0u);
  Out.siteAt("list_add", "kernel.h", Line, "tasks", SiteKind::Read, 60);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  EXPECT_EQ(Found.Covered.Profiles[0].Placed, 180u);
  ASSERT_EQ(Found.Sets.size(), 1u);
  EXPECT_NEAR(touchOf(&Found.Sets[0], Of.field("tasks")).Probability, 1, 1e-9);
  EXPECT_NEAR(Found.Fields[Of.field("tasks")].Reads, 60, 1e-6);
}

TEST(MergedSource, GlueRunsAsOftenAsWhatItAlwaysCalls) {
  // `glue` has no access and so no counter; it is entered from outside only.
  MeasuredProgram Of(R"c(
struct s { long a, b; };
static void first(struct s *p) { p->a++; }
static void second(struct s *p) { p->b++; }
void glue(struct s *p) {
  first(p);
  second(p);
}
)c");
  ProfileWriter Out(Of);
  for (auto [Name, Field] : {std::pair{"first", "a"}, {"second", "b"}})
    Out.entry(Name, 5000)
        .site(Name, std::string("p->") + Field, Field, SiteKind::Read, 5000)
        .site(Name, std::string("p->") + Field, Field, SiteKind::Write, 5000);
  AffinityEvidence Found = Of.measuredOnly(Out.made());
  ASSERT_EQ(Found.Sets.size(), 1u);
  EXPECT_EQ(Found.Sets[0].Where.Function, "glue");
  EXPECT_EQ(Found.Sets[0].From.From, Origin::Derived);
  EXPECT_NEAR(Found.Sets[0].Weight, 5000, 1e-6);
  EXPECT_EQ(Found.Sets[0].Touches.size(), 2u);
}
