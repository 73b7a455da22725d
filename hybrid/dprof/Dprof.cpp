// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/Dprof.h"

#include "hybrid/dprof/PlaceTable.h"
#include "hybrid/dprof/ReorderedModel.h"
#include "hybrid/dprof/WorkingSet.h"
#include "hybrid/trace/TraceContexts.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <deque>

namespace kst {
namespace {

constexpr uint64_t WantedWindows = 50;

std::vector<uint32_t> sizesOf(const TypeTable &Types) {
  std::vector<uint32_t> Sizes;
  for (const DataType &Of : Types.types())
    Sizes.push_back(Of.SizeBytes);
  return Sizes;
}

CacheOptions cacheOptions(const TraceReader &Trace, ClassRule Classes) {
  CacheOptions Out;
  Out.Cpus = std::max<unsigned>(1, unsigned(Trace.streams().size()));
  Out.Classes = Classes;
  return Out;
}

class Profiler {
public:
  Profiler(TraceReader &Trace, const DprofOptions &Options)
      : Trace(Trace), Options(Options), Types(Trace.tables()),
        Objects(Trace.tables()), Named(Trace.about(), Options.Members),
        Histories(sizesOf(Types)),
        Model(Options.Geometry, cacheOptions(Trace, Options.Sharing),
              Types.types().size()),
        Sizes(Model.model(), Options.Level, Types, Trace.tables()),
        InContext(Model.model().Options.Cpus, ContextKind::Task),
        WindowEvents(std::max<uint64_t>(1, Trace.events() / WantedWindows)) {
    for (const ReportedOrder &Order : Options.Orders)
      Replays.emplace_back(Order, Types, Model.model(), Options.Level);
  }

  Result<DataProfile> run();

private:
  unsigned cpuOf(uint32_t Stream) const;
  void event(const TraceEvent &E);
  void access(const TraceEvent &E);
  void toLine(const CountedModel::Access &Of, uint32_t OffsetBytes,
              uint32_t Site);
  void catchUp();
  void life(const TraceEvent &E);
  void endWindow(uint64_t Time);
  uint32_t function(uint32_t Site) const {
    const auto &Sites = Trace.about().Sites;
    return Site < Sites.size() ? Sites[Site].Function : ~0u;
  }
  DataProfile finish();

  TraceReader &Trace;
  const DprofOptions &Options;
  TypeTable Types;
  ObjectTable Objects;
  const NamedPlaces Named;
  TraceContexts Contexts;
  PlaceTable Places;
  ObjectHistories Histories;
  CountedModel Model;
  WorkingSet Sizes;
  std::deque<ReorderedModel> Replays; ///< they stay where they are
  std::vector<ContextKind> InContext; ///< by CPU
  const uint64_t WindowEvents;
  DataProfile Out;

  /// An access to one line that the model has not seen yet: so few that nothing
  /// else changes meanwhile, so many that memory has what they need.
  struct Waiting {
    CountedModel::Access Of;
    PlaceTable::Key Place;
    uint64_t Hash; ///< of Place
  };
  std::array<Waiting, 32> Queue;
  size_t Queued = 0;
};

unsigned Profiler::cpuOf(uint32_t Stream) const {
  const auto &Streams = Trace.streams();
  if (Stream < Streams.size() && Streams[Stream].Stream == Stream)
    return Stream;
  auto At = std::lower_bound(
      Streams.begin(), Streams.end(), Stream,
      [](const TraceStream &S, uint32_t Of) { return S.Stream < Of; });
  return unsigned(At - Streams.begin());
}

void Profiler::event(const TraceEvent &E) {
  switch (E.Kind) {
  case EventKind::Access:
    return access(E);
  case EventKind::Context:
    Contexts.apply(E);
    InContext[cpuOf(E.Stream)] = Contexts.of(E.Stream).kind();
    Out.Contexts = true;
    return;
  default:
    return life(E);
  }
}

/// A free ends the story of what lives, an allocation begins that of what will.
void Profiler::life(const TraceEvent &E) {
  catchUp();
  const bool Ends = E.Kind == EventKind::Free || E.Kind == EventKind::PageFree;
  const bool Begins =
      E.Kind == EventKind::Alloc || E.Kind == EventKind::PageAlloc;
  Contexts.apply(E); // a task that goes leaves its system call
  TracePlace Place;
  if (Ends)
    Place = Objects.place(E.Address);
  Objects.apply(E);
  if (Begins)
    Place = Objects.place(E.Address);
  if (!(Ends || Begins) || Place.Object != E.Address)
    return;
  const uint32_t Type = Types.of(Place, E.Address);
  if (!hasObjects(Types.types()[Type].Kind))
    return;
  const ObjectHistories::Identity Of{Place.Object, Place.Number, Type,
                                     Place.SizeBytes};
  const ObjectHistories::Step By{
      function(E.Site), cpuOf(E.Stream), 0, 0, false, false};
  if (Begins)
    Histories.begin(Of, By);
  else
    Histories.end(Of, By);
}

void Profiler::access(const TraceEvent &E) {
  if (!(E.Access & (AccessLoad | AccessStore))) {
    ++Out.NoAccesses;
    return;
  }
  TracePlace Place = Objects.place(E);
  uint64_t Address = E.Address;
  uint32_t Bytes = std::clamp(E.SizeBytes, 1u, MostAccessBytes);
  if (const NamedPlace *By = Named.find(E.Site)) {
    if (!By->SizeBytes) {
      ++Out.UnknownFields;
      return;
    }
    Place.OffsetBytes = By->OffsetBytes;
    Address = Place.Object + By->OffsetBytes;
    Bytes = std::min(By->SizeBytes, MostAccessBytes);
  }
  const uint32_t Type = Types.of(Place, Address);
  const unsigned Cpu = cpuOf(E.Stream);
  Out.CutAccesses += E.SizeBytes > MostAccessBytes;
  const AccessKind Kind = !(E.Access & AccessStore)  ? AccessKind::Load
                          : !(E.Access & AccessLoad) ? AccessKind::Store
                                                     : AccessKind::Modify;
  const bool Stores = Kind != AccessKind::Load;
  const TypeKind What = Types.types()[Type].Kind;
  if (hasObjects(What))
    Histories.access(
        {Place.Object, Place.Number, Type, Place.SizeBytes},
        {function(E.Site), Cpu, Place.OffsetBytes, Bytes, !Stores, Stores});
  for (ReorderedModel &Replay : Replays)
    Replay.access(Type, Place.OffsetBytes,
                  {Address, Bytes, Cpu, Kind, Type, PlaceTable::None});
  // Each line by itself: a miss is that of the fields that lie there.
  const uint32_t LineBytes = Options.Geometry.LineBytes; // a power of two
  for (uint32_t Done = 0; Done < Bytes;) {
    const uint32_t InLine = uint32_t(Address + Done) & (LineBytes - 1);
    const uint32_t Step = std::min(Bytes - Done, LineBytes - InLine);
    toLine({Address + Done, Step, Cpu, Kind, Type, PlaceTable::None},
           hasFields(What) ? Place.OffsetBytes + Done : 0, E.Site);
    Done += Step;
  }
}

void Profiler::toLine(const CountedModel::Access &Of, uint32_t OffsetBytes,
                      uint32_t Site) {
  if (Queued == Queue.size())
    catchUp();
  Waiting &New = Queue[Queued++];
  New.Of = Of;
  New.Place = {Of.Group, OffsetBytes, Site, Of.Bytes, InContext[Of.Cpu]};
  New.Hash = New.Place.hash();
  Places.expect(New.Hash);
}

void Profiler::catchUp() {
  for (size_t I = 0; I < Queued; ++I)
    Places.fetch(Queue[I].Hash);
  for (size_t I = 0; I < Queued; ++I) {
    CountedModel::Access &Of = Queue[I].Of;
    const uint32_t At = Of.Tag = Places.count(
        Queue[I].Place, Queue[I].Hash, Of.Cpu, Of.Kind != AccessKind::Load);
    Model.access(
        Of,
        [&](uint64_t Line, const AccessOutcome &Result) {
          Places.countMiss(At, Result.Class[size_t(Options.Level)]);
          Sizes.access(Line, Of.Cpu, Of.Group, Result);
        },
        [&](uint8_t Levels, uint32_t Tag, uint64_t) {
          if (Levels >> size_t(Options.Level) & 1)
            Places.turnTrue(Tag);
        });
  }
  Queued = 0;
}

void Profiler::endWindow(uint64_t Time) {
  catchUp();
  Sizes.endWindow(Time, Objects, Histories);
  // What a site names is not what was allocated: nobody says when it goes.
  if (Histories.objects() > 2 * Objects.live() + 100000)
    Histories.forget([&](uint64_t Address, uint64_t Number) {
      return Objects.place(Address).Number != Number;
    });
}

Result<DataProfile> Profiler::run() {
  TraceEvent E;
  uint64_t Events = 0;
  while (Trace.next(E)) {
    event(E);
    if (++Events % WindowEvents == 0)
      endWindow(E.Time);
  }
  if (Trace.failure())
    return *Trace.failure();
  catchUp();
  if (!Events)
    return Failure{"holds no event"};
  if (Out.UnknownFields &&
      std::all_of(Model.counts().begin(), Model.counts().end(),
                  [](const AccessCounts &Of) { return !Of.accesses(); }))
    return Failure{"names fields and has no offsets: debug information on the "
                   "structs is needed"};
  Out.Events = Events;
  return finish();
}

DataProfile Profiler::finish() {
  Out.Geometry = Options.Geometry;
  Out.Level = Options.Level;
  Out.Sharing = Options.Sharing;
  Out.Latency = Options.Latency;
  Out.Cpus = Model.model().Options.Cpus;
  if (const auto &Text = Trace.about().Text; Text.contains(RanThreads))
    Out.Threads = Text.at(RanThreads) == std::to_string(Out.Cpus);
  Out.Lost = Trace.lost();
  Out.Complete = Trace.complete();
  Out.Limits = traceLimits(Trace.about());
  Out.ImplicitFrees = Objects.implicitFrees();
  Out.UnknownFrees = Objects.unknownFrees();
  Out.WindowEvents = WindowEvents;
  const auto &Text = Trace.about().Text;
  if (auto At = Text.find("label"); At != Text.end())
    Out.Label = At->second;
  for (const DataType &Of : Types.types()) {
    TypeRow &Row = Out.Types.emplace_back();
    Row.Name = Of.Name;
    Row.Kind = Of.Kind;
    Row.SizeBytes = Of.SizeBytes;
  }
  for (size_t T = 0; T < Model.counts().size(); ++T) {
    Out.Types[T].Counts = Model.counts()[T];
    Out.All += Model.counts()[T];
  }
  Places.finish(Trace.tables(), Out);
  Histories.finish(Trace.about().Strings, Out.Types);
  Sizes.finish(Out);
  for (const ReorderedModel &Replay : Replays)
    Out.Orders.push_back(Replay.finish());
  sortTypes(Out);
  return std::move(Out);
}

} // namespace

Result<DataProfile> dprof(TraceReader &Trace, const DprofOptions &Options) {
  if (Trace.streams().size() > MaxCacheCpus)
    return Failure{"the trace has " + std::to_string(Trace.streams().size()) +
                   " CPUs or threads; the model has up to " +
                   std::to_string(MaxCacheCpus)};
  const TypeTable Types(Trace.tables());
  for (const ReportedOrder &Order : Options.Orders)
    if (auto Wrong = ReorderedModel::misfit(Order, Types))
      return *Wrong;
  return Profiler(Trace, Options).run();
}

} // namespace kst
