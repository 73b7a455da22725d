// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/TierReplay.h"

#include "hybrid/contexts/PlacedPages.h"
#include "hybrid/contexts/TierBound.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

namespace kst {
namespace {

constexpr uint32_t Slices = 400;
constexpr uint64_t Scans = 200;

/// One reading of the trace: pages and contexts as they come and go.
class PageStream {
public:
  /// What is told of; any may be empty.
  struct Sinks {
    std::function<void(TierPage)> Begin, End, Access;
    std::function<void(uint32_t)> Open, Close;
  };
  PageStream(TraceReader &Trace, const OwnerTypes &Types, bool Grouped,
             Sinks Tell)
      : Trace(Trace), Tell(std::move(Tell)),
        Placed(Grouped, {this->Tell.Begin, this->Tell.End}),
        Owners(Trace.tables(), Types,
               [this](const OwnedObject &Of, uint64_t, bool Ended) {
                 if (Ended)
                   Placed.end(Of);
               }) {
    Owners.onOpen([this](uint32_t Id, bool Again) {
      Reopens += Again;
      Placed.Pages.open(Id);
      this->Tell.Open(Id);
    });
    Owners.onJoin([this](uint32_t From, uint32_t Into) {
      Placed.Pages.join(From, Into);
    });
    Owners.onClose([this](uint32_t Id, bool Ended) {
      Closes += !Ended;
      Placed.Pages.close(Id);
      this->Tell.Close(Id);
    });
  }
  const TierPages &pages() const { return Placed.Pages; }

  std::optional<Failure> run() {
    for (TraceEvent E; Trace.next(E); ++Events)
      event(E);
    return Trace.failure();
  }
  uint64_t Events = 0, Accesses = 0, Outside = 0, Owned = 0, Closes = 0,
           Reopens = 0;

private:
  void event(const TraceEvent &E) {
    if (E.Kind == EventKind::PageFree || E.Kind == EventKind::PageAlloc)
      Placed.endPages(E.Address, E.SizeBytes);
    Owners.apply(E);
    if (E.Kind != EventKind::Access || !E.Access)
      return;
    const OwnedObject *Of = Owners.known(E);
    const OwnedObject Slot; // of nobody
    if (!Of && Owners.inMemory(E))
      Of = &Slot;
    if (!Of) {
      ++Outside;
      return;
    }
    const uint32_t Context = Owners.contextOf(*Of);
    const TierPage Page = Placed.page(*Of, E.Address, Context);
    ++Accesses;
    Owned += Placed.Pages.contextOf(Page) != 0;
    Tell.Access(Page);
  }

  TraceReader &Trace;
  Sinks Tell;
  PlacedPages Placed;
  OwnerTable Owners;
};

uint64_t pagesOf(double Share, uint64_t Most) {
  return std::max<uint64_t>(1, uint64_t(std::llround(Share * double(Most))));
}

} // namespace

Result<TierReport> tierReplay(const TraceOpener &Open, const TypeGraph &Graph,
                              const TierOptions &Options) {
  TierReport Out;
  auto First = Open();
  if (!First)
    return Failure{First.error()};
  if (accessesAreSamples(First->about()))
    return Failure{NoOrderInSamples};
  const OwnerTypes Types(First->tables(), Graph, Options.Types);
  TierBound Bound(Slices);
  const uint64_t SliceEvents = First->events() / Slices + 1;
  {
    const uint64_t *Events = nullptr;
    auto Slice = [&] { return uint32_t(*Events / SliceEvents); };
    PageStream Stream(*First, Types, Options.Grouped,
                      {[&](TierPage P) {
                         ++Out.Lives;
                         Bound.begin(P, Slice());
                       },
                       [&](TierPage P) { Bound.end(P, Slice()); },
                       [&](TierPage P) { Bound.access(P, Slice()); },
                       [](uint32_t) {}, [](uint32_t) {}});
    Events = &Stream.Events;
    if (auto Wrong = Stream.run())
      return *Wrong;
    Out.Events = Stream.Events;
    Out.Accesses = Stream.Accesses;
    Out.Outside = Stream.Outside;
    Out.OwnedAccesses = Stream.Owned;
    Out.Closes = Stream.Closes;
    Out.Reopens = Stream.Reopens;
    Out.MostPages = Stream.pages().mostLive();
  }
  if (!Out.Accesses)
    return Failure{"has no access to slab objects or pages"};
  Out.Lost = First->lost();
  Out.Complete = First->complete();
  Out.Limits = recordedPart(First->about());
  Out.Grouped = Options.Grouped;
  Out.ScanEvery = Options.ScanEvery
                      ? Options.ScanEvery
                      : std::max<uint64_t>(1, Out.Accesses / Scans);
  Out.Ratios = Options.Ratios;
  for (double Ratio : Out.Ratios)
    Out.Copies.push_back(Options.copyCost(Ratio));
  if (auto At = First->about().Text.find("label");
      At != First->about().Text.end())
    Out.Label = At->second;

  auto Second = Open();
  if (!Second)
    return Failure{Second.error()};
  std::deque<TierRun> Runs;
  const OwnerTypes TypesAgain(Second->tables(), Graph, Options.Types);
  auto Each = [&](auto Method) {
    return [&Runs, Method](auto What) {
      for (TierRun &Run : Runs)
        (Run.*Method)(What);
    };
  };
  PageStream Stream(*Second, TypesAgain, Options.Grouped,
                    {Each(&TierRun::begin), Each(&TierRun::end),
                     Each(&TierRun::access), Each(&TierRun::open),
                     Each(&TierRun::close)});
  for (double Share : Options.FastShares)
    for (size_t P = 0; P < TierPolicies; ++P)
      Runs.emplace_back(TierPolicy(P), pagesOf(Share, Out.MostPages),
                        Out.ScanEvery, Stream.pages());
  if (auto Wrong = Stream.run())
    return *Wrong;
  size_t Row = 0;
  for (double Share : Options.FastShares) {
    TierSize &Size = Out.Sizes.emplace_back();
    Size.Share = Share;
    Size.FastPages = pagesOf(Share, Out.MostPages);
    for (size_t P = 0; P < TierPolicies; ++P)
      Size.Policies.push_back({TierPolicy(P), Runs[Row++].counts()});
    for (size_t I = 0; I < Out.Ratios.size(); ++I)
      Size.Bounds.push_back(
          Bound.bound(Size.FastPages, Out.Ratios[I], Out.Copies[I]));
  }
  return Out;
}

} // namespace kst
