// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/PageReplay.h"

#include <algorithm>
#include <cmath>

namespace kst {
namespace {

/// One policy, and where it put what the kernel put elsewhere.
class PolicyRun {
public:
  PolicyRun(const PageStart &Start, PagePolicy Policy,
            const ColourReplayOptions &Options)
      : Policy(Policy), Options(Options), Limits(Start.Limits),
        Model(Start.allocator(Policy, Options.Colours, Options.Seed)) {
    uint64_t End = 0;
    for (const ZoneShape &Of : Start.Zones)
      End = std::max(End, uint64_t(Of.Start) + Of.Frames);
    Place.resize(End, NoFrame);
    Original.resize(End, true);
    auto Free = [&](const PageStart::Block &Of) {
      for (uint32_t I = 0; I < 1u << Of.Order; ++I)
        Original[Of.Frame + I] = false;
    };
    std::for_each(Start.Free.begin(), Start.Free.end(), Free);
    std::for_each(Start.OnCpus.begin(), Start.OnCpus.end(), Free);
  }
  void event(const TraceEvent &E);
  PolicyResult finish();

private:
  void alloc(const TraceEvent &E);
  void free(const TraceEvent &E);
  void churn();

  PagePolicy Policy;
  const ColourReplayOptions &Options;
  std::vector<ZoneLimits> Limits;
  PageAllocator Model;
  /// By frame of the kernel; NoFrame: it has the same here, or none.
  std::vector<uint32_t> Place;
  std::vector<bool> Original; ///< in use since before the trace
  uint64_t Failed = 0, Requests = 0, Equal = 0;
};

constexpr uint32_t Nowhere = NoFrame - 1; ///< the request failed here

void PolicyRun::alloc(const TraceEvent &E) {
  const unsigned Order = E.Info & 0xff;
  const unsigned Zone = Model.zoneOf(E.Value);
  if (Zone == PageAllocator::NoZone ||
      Zone != Model.zoneOf(E.Value + (1u << Order) - 1))
    return;
  const uint32_t Frame = Model.alloc(
      {E.Stream, Order, uint8_t(std::min<uint32_t>(E.Info >> 8, Reclaimable)),
       Zone});
  Failed += Frame == NoFrame;
  Equal += Frame == E.Value;
  ++Requests;
  for (uint32_t I = 0; I < 1u << Order; ++I)
    if (E.Value + I < Place.size())
      Place[E.Value + I] = Frame == NoFrame ? Nowhere : Frame + I;
}

void PolicyRun::free(const TraceEvent &E) {
  const unsigned Order = E.Info & 0xff;
  const auto Frame = uint32_t(E.Value);
  if (Model.zoneOf(Frame) == PageAllocator::NoZone ||
      Frame + (1u << Order) > Place.size())
    return;
  auto PlaceOf = [&](uint32_t Of) {
    return Place[Of] == NoFrame ? Of : Place[Of];
  };
  auto IsUsed = [&](uint32_t Of) {
    return Model.zoneOf(Of) == PageAllocator::NoZone ? false
           : Place[Of] == NoFrame                    ? bool(Original[Of])
                                                     : Place[Of] != Nowhere;
  };
  const uint32_t First = PlaceOf(Frame), Pages = 1u << Order;
  bool Whole = !(First & (Pages - 1));
  for (uint32_t I = 0; I < Pages; ++I)
    Whole &= IsUsed(Frame + I) && PlaceOf(Frame + I) == First + I;
  if (Whole)
    Model.free(E.Stream, First, Order);
  for (uint32_t I = 0; I < Pages; ++I) {
    if (!Whole && IsUsed(Frame + I))
      Model.free(E.Stream, PlaceOf(Frame + I), 0);
    if (Place[Frame + I] == NoFrame)
      Original[Frame + I] = false;
    Place[Frame + I] = NoFrame;
  }
}

void PolicyRun::event(const TraceEvent &E) {
  applyLimits(E, Limits, Model);
  if (E.Kind == EventKind::PageAlloc)
    alloc(E);
  else if (E.Kind == EventKind::PageFree)
    free(E);
}

/// Fills memory but for an eighth with single pages, changes some by chance,
/// and leaves one of sixteen.
void PolicyRun::churn() {
  if (!Options.Churn)
    return;
  std::mt19937_64 Chance(Options.Seed);
  unsigned Zone = 0;
  for (unsigned Z = 0; Z < Model.zones().size(); ++Z)
    if (Model.zones()[Z].shape().Frames > Model.zones()[Zone].shape().Frames)
      Zone = Z;
  const PageRequest Asked{0, 0, Movable, Zone};
  const uint64_t Least = Model.zones()[Zone].freePages() / 8;
  std::vector<uint32_t> Live;
  auto Take = [&] {
    const uint32_t Frame = Model.alloc(Asked);
    if (Frame != NoFrame)
      Live.push_back(Frame);
    return Frame != NoFrame;
  };
  auto Drop = [&] {
    std::swap(Live[Chance() % Live.size()], Live.back());
    Model.free(0, Live.back(), 0);
    Live.pop_back();
  };
  while (Model.zones()[Zone].freePages() > Least && Take())
    ;
  for (uint64_t Step = 0; Step < Options.Churn && !Live.empty(); ++Step) {
    Drop();
    Take();
  }
  for (size_t Stay = Live.size() / 16; Live.size() > Stay;)
    Drop();
}

PolicyResult PolicyRun::finish() {
  PolicyResult Out;
  Out.Policy = Policy;
  Out.Failed = Failed;
  Out.Requests = Requests;
  Out.Equal = Equal;
  Out.Pages.resize(Options.Cache.colours());
  for (uint32_t Frame : Place)
    if (Frame < Nowhere)
      ++Out.Pages[Frame % Options.Cache.colours()];
  churn();
  Out.Sweep = sweep(Model, Options.Cache, Options.Sizes);
  return Out;
}

/// Regularized upper incomplete gamma function, by its series and its
/// continued fraction (Numerical Recipes, 6.2).
double upperGamma(double A, double X) {
  if (X <= 0)
    return 1;
  const double Front = std::exp(-X + A * std::log(X) - std::lgamma(A));
  if (X < A + 1) {
    double Term = 1 / A, Sum = Term;
    for (double N = A + 1; std::abs(Term) > 1e-14 * std::abs(Sum); ++N)
      Sum += Term *= X / N;
    return 1 - Front * Sum;
  }
  double B = X + 1 - A, C = 1e300, D = 1 / B, H = D;
  for (int I = 1; I < 10000; ++I) {
    const double An = -I * (I - A);
    B += 2;
    D = 1 / (An * D + B);
    C = B + An / C;
    H *= D * C;
    if (std::abs(D * C - 1) < 1e-14)
      break;
  }
  return Front * H;
}

} // namespace

ColourDistance colourDistance(const std::vector<uint32_t> &A,
                              const std::vector<uint32_t> &B, size_t Bins) {
  ColourDistance Out;
  Bins = std::max<size_t>(1, std::min({Bins, A.size(), B.size()}));
  std::vector<double> InA(Bins), InB(Bins);
  double AllA = 0, AllB = 0;
  for (size_t I = 0; I < A.size(); ++I) {
    InA[I * Bins / A.size()] += A[I];
    AllA += A[I];
  }
  for (size_t I = 0; I < B.size(); ++I) {
    InB[I * Bins / B.size()] += B[I];
    AllB += B[I];
  }
  if (AllA == 0 || AllB == 0) {
    Out.Overlap = AllA == AllB;
    return Out;
  }
  Out.Overlap = 0;
  const double Ab = std::sqrt(AllB / AllA), Ba = 1 / Ab;
  for (size_t I = 0; I < Bins; ++I) {
    Out.Overlap += std::min(InA[I] / AllA, InB[I] / AllB);
    if (InA[I] + InB[I] == 0)
      continue;
    const double Apart = InA[I] * Ab - InB[I] * Ba;
    Out.ChiSquare += Apart * Apart / (InA[I] + InB[I]);
    ++Out.Degrees;
  }
  Out.Degrees -= 1;
  if (Out.Degrees)
    Out.Probability = upperGamma(Out.Degrees / 2.0, Out.ChiSquare / 2);
  return Out;
}

Result<PageReplay> replayPages(const OpenTrace &Open,
                               const ColourReplayOptions &Options) {
  PageReplay Out;
  auto First = Open();
  if (!First)
    return Failure{First.error()};
  auto Start = pageStart(*First);
  if (!Start)
    return Failure{Start.error()};
  Out.Start = std::move(*Start);
  auto Second = Open();
  if (!Second)
    return Failure{Second.error()};
  auto Agreement = pageAgreement(Out.Start, *Second);
  if (!Agreement)
    return Failure{Agreement.error()};
  Out.Agreement = *Agreement;
  std::vector<PolicyRun> Runs;
  for (PagePolicy Policy : Options.Policies)
    Runs.emplace_back(Out.Start, Policy, Options);
  auto Third = Open();
  if (!Third)
    return Failure{Third.error()};
  Out.RecordedPages.resize(Options.Cache.colours());
  std::vector<bool> Live;
  uint64_t Number = 0;
  for (TraceEvent E; Third->next(E);) {
    const bool Alloc = E.Kind == EventKind::PageAlloc,
               Free = E.Kind == EventKind::PageFree;
    Number += Alloc || Free;
    if (Number <= Out.Start.Before ||
        !(Alloc || Free || E.Kind == EventKind::PageState))
      continue;
    for (PolicyRun &Run : Runs)
      Run.event(E);
    if (!Alloc && !Free)
      continue;
    const uint64_t Pages = uint64_t(1) << (E.Info & 0xff);
    if (E.Value + Pages > Live.size())
      Live.resize((E.Value + Pages) * 5 / 4);
    for (uint64_t I = E.Value; I < E.Value + Pages; ++I) {
      uint32_t &Of = Out.RecordedPages[I % Options.Cache.colours()];
      Of += Alloc && !Live[I];
      Of -= Free && Live[I];
      Live[I] = Alloc;
    }
  }
  if (Third->failure())
    return *Third->failure();
  for (PolicyRun &Run : Runs)
    Out.Policies.push_back(Run.finish());
  return Out;
}

PageReplay replayFresh(uint64_t Frames, const ColourReplayOptions &Options) {
  PageReplay Out;
  Out.Start = PageStart::fresh(Frames);
  for (PagePolicy Policy : Options.Policies)
    Out.Policies.push_back(PolicyRun(Out.Start, Policy, Options).finish());
  return Out;
}

} // namespace kst
