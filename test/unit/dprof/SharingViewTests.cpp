// SPDX-License-Identifier: GPL-2.0-or-later

#include "KnownTrace.h"

#include "hybrid/dprof/SharingView.h"

using namespace kst;
using kst_test::KnownTrace;

namespace {

enum : uint32_t { Hot, Cold, Tail, Rest };

/// packet: hot (8 bytes), cold (48), tail (4), 4 bytes of padding, rest (64).
/// The other order has tail on the second line.
ReportedOrder packet(std::vector<CoAccessSet> Sets = {}) {
  ReportedOrder Out;
  Out.Record.Name = "packet";
  Out.Record.SizeBytes = 128;
  Out.Sets = std::move(Sets);
  const auto Add = [&](const char *Name, uint64_t Now, uint64_t Then,
                       uint64_t Bytes) {
    FieldInfo F;
    F.Name = Name;
    F.OffsetBits = Now * 8;
    F.SizeBits = Bytes * 8;
    Out.Record.Fields.push_back(F);
    Out.Current.OffsetBits.push_back(Now * 8);
    Out.Proposed.OffsetBits.push_back(Then * 8);
  };
  Add("hot", 0, 0, 8);
  Add("cold", 8, 72, 48);
  Add("tail", 56, 120, 4);
  Add("rest", 64, 8, 64);
  return Out;
}

CoAccessSet visit(const char *Owner, double Weight,
                  std::vector<uint32_t> Fields) {
  CoAccessSet Out;
  Out.Weight = Weight;
  Out.Where = {Owner, "known.c", 1};
  for (uint32_t Field : Fields) {
    FieldTouch &Touch = Out.Touches.emplace_back();
    Touch.Field = Field;
    Touch.Probability = Touch.Writes = 1;
    Touch.Sites = {{Out.Where, 0, 1}};
  }
  return Out;
}

struct Profiled {
  ReportedOrder Order;
  DataProfile Data;
  SharingView View;
};
Profiled profiled(const KnownTrace &T, ReportedOrder Order,
                  ClassRule Rule = ClassRule::AtMiss) {
  Profiled Out{std::move(Order), {}, {}};
  DprofOptions Options;
  Options.Orders = {&Out.Order, 1};
  Options.Sharing = Rule;
  Out.Data = T.profile(Options);
  Out.View = sharingOf(Out.Data, Out.Data.Orders[0], Out.Order);
  return Out;
}

/// a() stores hot on one CPU, b() stores tail on the other, in turns.
KnownTrace fight(uint64_t Object = KnownTrace::Slab) {
  KnownTrace T;
  T.on(0, "make").alloc(Object);
  for (int N = 0; N < 100; ++N) {
    T.on(0, "a").store(Object);
    T.on(1, "b").store(Object + 56, 4);
  }
  return T;
}

/// The advice for hot, which misses 99 times behind tail.
SharedPair adviceFor(std::vector<CoAccessSet> Sets) {
  const Profiled Of = profiled(fight(), packet(std::move(Sets)));
  EXPECT_EQ(Of.View.Lines.size(), 1u);
  for (const SharedField &F : Of.View.Lines.at(0).FalseOf)
    if (F.Field == Hot) {
      EXPECT_EQ(F.False, 99u);
      EXPECT_EQ(F.Pairs.size(), 1u);
      return F.Pairs.at(0);
    }
  ADD_FAILURE() << "hot did not miss";
  return {};
}

TEST(SharingView, SaysWhoLosesALineToWhom) {
  const Profiled Of = profiled(fight(), packet());
  ASSERT_EQ(Of.View.Lines.size(), 1u);
  const SharedLine &Line = Of.View.Lines[0];
  EXPECT_EQ(Line.Line, 0u);
  EXPECT_EQ(Line.True, 0u);
  EXPECT_EQ(Line.False, 198u);
  ASSERT_EQ(Line.FalseOf.size(), 2u);
  for (const SharedField &F : Line.FalseOf) {
    ASSERT_EQ(F.Pairs.size(), 1u);
    EXPECT_EQ(F.Pairs[0].Written, F.Field == Hot ? Tail : Hot);
    EXPECT_EQ(F.Pairs[0].Misses, 99u);
    EXPECT_TRUE(F.Pairs[0].ApartThen);
    EXPECT_EQ(Of.Data.Orders[0].After.Missed[F.Field], 1u);
  }
  EXPECT_EQ(Of.Data.Orders[0].Unaligned, 0u);
}

TEST(SharingView, AdviceFollowsTheVisitsThatMiss) {
  // No evidence, none about what is written, or none about who misses.
  EXPECT_EQ(adviceFor({}).Advice, SharingAdvice::Unknown);
  EXPECT_EQ(adviceFor({visit("a", 1, {Hot})}).Advice, SharingAdvice::Unknown);
  const SharedPair Elsewhere =
      adviceFor({visit("other", 1, {Hot, Tail}), visit("b", 1, {Tail})});
  EXPECT_EQ(Elsewhere.Advice, SharingAdvice::Unknown);
  EXPECT_DOUBLE_EQ(Elsewhere.Visits.Unknown, 1);
  // Never together.
  const SharedPair Never =
      adviceFor({visit("a", 1, {Hot}), visit("b", 1, {Tail})});
  EXPECT_EQ(Never.Advice, SharingAdvice::Separate);
  EXPECT_DOUBLE_EQ(Never.Visits.Apart, 1);
  EXPECT_DOUBLE_EQ(Never.Writers->Share, 0);
  // Where it misses, it mostly uses both.
  const SharedPair Both =
      adviceFor({visit("a", 3, {Hot, Tail}), visit("a", 1, {Hot})});
  EXPECT_EQ(Both.Advice, SharingAdvice::Keep);
  EXPECT_DOUBLE_EQ(Both.Visits.Together, 0.75);
  EXPECT_EQ(Both.Visits.Where.Function, "a");
  // Others use both, who misses does not.
  const SharedPair Price =
      adviceFor({visit("a", 1, {Hot}), visit("b", 1, {Tail, Hot})});
  EXPECT_EQ(Price.Advice, SharingAdvice::Separate);
  EXPECT_DOUBLE_EQ(Price.Writers->Share, 1);
  const SharedPair Some =
      adviceFor({visit("a", 3, {Hot, Tail}), visit("a", 5, {Hot})});
  EXPECT_EQ(Some.Advice, SharingAdvice::Weigh);
}

TEST(SharingView, WhatNoThreadUsesTogetherIsSeparated) {
  // The source has one visit for both roles of a thread.
  Profiled Of = profiled(fight(), packet({visit("a", 1, {Hot, Tail})}));
  auto Hots = [&](const SharingView &View) {
    const std::vector<SharedField> &All = View.Lines.at(0).FalseOf;
    return std::ranges::find(All, uint32_t(Hot), &SharedField::Field)
        ->Pairs.at(0);
  };
  EXPECT_EQ(Hots(Of.View).Advice, SharingAdvice::Keep) << "tasks move";
  Of.Data.Threads = true;
  const SharedPair Apart =
      Hots(sharingOf(Of.Data, Of.Data.Orders[0], Of.Order));
  EXPECT_TRUE(Apart.OfOtherThreads);
  EXPECT_EQ(Apart.Advice, SharingAdvice::Separate);
}

TEST(SharingView, WithoutSharingNothingIsSaid) {
  KnownTrace T; // many objects of one CPU each, and reads by both
  for (uint64_t N = 0; N < 500; ++N) {
    const uint64_t Packet = KnownTrace::Slab + N * 128;
    T.on(0, "make").alloc(Packet).store(Packet, 8);
    T.on(N % 2, "a").load(Packet).load(Packet + 56, 4);
    T.on(1 - N % 2, "b").load(Packet + 64);
  }
  const Profiled Of =
      profiled(T, packet({visit("a", 1, {Hot}), visit("b", 1, {Tail})}));
  EXPECT_GT(Of.View.Misses, 0u);
  EXPECT_TRUE(Of.View.Lines.empty());
  EXPECT_EQ(Of.View.True + Of.View.False, 0u);
}

TEST(SharingView, TrueSharingHasNoAdvice) {
  KnownTrace T;
  T.on(0, "make").alloc(KnownTrace::Slab);
  for (int N = 0; N < 100; ++N)
    T.on(N % 2, "a").store(KnownTrace::Slab);
  const Profiled Of = profiled(T, packet());
  ASSERT_EQ(Of.View.Lines.size(), 1u);
  EXPECT_EQ(Of.View.Lines[0].True, 98u);
  EXPECT_TRUE(Of.View.Lines[0].FalseOf.empty());
  ASSERT_EQ(Of.View.Lines[0].TrueOf.size(), 1u);
  EXPECT_EQ(Of.View.Lines[0].TrueOf[0].first, Hot);
}

TEST(SharingView, LifetimeTurnsWhatALaterAccessProves) {
  KnownTrace T; // a() reads tail, too, but only behind hot
  T.on(0, "make").alloc(KnownTrace::Slab);
  for (int N = 0; N < 100; ++N) {
    T.on(0, "a").load(KnownTrace::Slab).load(KnownTrace::Slab + 56, 4);
    T.on(1, "b").store(KnownTrace::Slab + 56, 4);
  }
  const Profiled AtMiss = profiled(T, packet());
  EXPECT_EQ(AtMiss.View.False, 99u);
  const Profiled Lifetime = profiled(T, packet(), ClassRule::Lifetime);
  EXPECT_EQ(Lifetime.View.False, 0u);
  EXPECT_EQ(Lifetime.View.True, 99u);
}

TEST(SharingView, ANeighborIsNoField) {
  // Two objects of 128 bytes that begin in the middle of a line.
  KnownTrace T;
  const uint64_t First = KnownTrace::Slab + 32, Second = First + 128;
  T.on(0, "make").alloc(First).alloc(Second);
  for (int N = 0; N < 100; ++N) {
    T.on(0, "a").store(First + 120); // rest, on the line of the other's hot
    T.on(1, "b").store(Second);
  }
  const Profiled Of = profiled(T, packet());
  EXPECT_EQ(Of.Data.Orders[0].Unaligned, 200u);
  EXPECT_EQ(Of.View.False, 198u);
  for (const SharedLine &Line : Of.View.Lines)
    for (const SharedField &F : Line.FalseOf) {
      ASSERT_EQ(F.Pairs.size(), 1u);
      EXPECT_EQ(F.Pairs[0].Written, LossRow::OtherObject);
      EXPECT_EQ(F.Pairs[0].Advice, SharingAdvice::OtherObject);
    }
}

} // namespace
