// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/TraceJoin.h"

#include "hybrid/import/ArrayPlaces.h"
#include "hybrid/import/EventsByTime.h"
#include "hybrid/import/TableSite.h"

#include "hybrid/import/RawTrace.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/LoadedImage.h"
#include "hybrid/trace/ThreadSpans.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace kst {
namespace {

constexpr size_t NoPlace = ~size_t(0);
constexpr uint32_t SiteLimit = 1 << 24;
/// Of more threads those that never ran at the same time share a stream: no
/// model has more CPUs.
constexpr uint32_t MaxThreads = 64;

/// What a CPU was in, as a trace has it; KST_CONTEXT_TASK: in nothing.
constexpr ContextKind Contexts[] = {ContextKind::Task, ContextKind::Softirq,
                                    ContextKind::Hardirq, ContextKind::Nmi};

class Joiner {
public:
  Joiner(const RawTrace &Raw, const std::vector<CounterTable> &Tables,
         const CallerNames &Names)
      : Raw(Raw), Names(Names) {
    for (const CounterTable &T : Tables)
      TableOf.try_emplace(T.Hash, &T);
  }

  Result<TraceNotes> run(const std::string &Label, TraceWriter::Sink To);

private:
  struct Unit {
    uint64_t Hash;
    uint32_t Sites;
  };
  struct Object {
    RawTraceRecord Raw;
    uint32_t Struct;
  };

  /// Sites of a unit with a table, from Begin of the dense tables on.
  struct KnownUnit {
    uint32_t First, Sites;
    size_t Begin;
    const CounterTable *Table;
  };

  std::optional<Failure> survey();
  std::optional<Failure> findUnits();
  void countEvents();
  void followLives();
  std::optional<Failure> makeSites();
  void unit(const CounterTable &T, size_t Begin);
  void unitsWithoutEvents();
  size_t denseOf(uint32_t RawSite);
  /// The table's row of a site that denseOf() found just now.
  const kst_table_site &rowOf(uint32_t RawSite) const {
    const KnownUnit &Of = Known[LastKnown];
    return Of.Table->Sites[RawSite - Of.First];
  }
  void objects();
  void writeEvents(TraceWriter &Out, const Profile &About);

  RawTrace Raw; ///< at the first record
  const CallerNames &Names;
  std::map<uint64_t, const CounterTable *> TableOf;
  TraceNotes Notes;
  std::map<uint32_t, Unit> Units; ///< by trace base
  std::vector<RawTraceRecord> RawObjects;
  LoadedImages Images;
  std::set<uint32_t> Streams;
  ThreadSpans Spans; ///< of a program
  StartsAndJoins Phases;
  std::map<uint32_t, uint32_t> CpuOf; ///< of its threads, if there are many
  std::vector<KnownUnit> Known;       ///< by first site
  size_t LastKnown = 0;
  // Dense: by denseOf() the number in the raw trace.
  std::vector<uint64_t> EventsOf, StrayOf; ///< Stray: in no known object
  std::vector<uint32_t> SiteOf, StraySiteOf;
  ProfileBuilder Make;
  RawLives Lives;
  std::vector<AccessedStruct> Accessed;
  std::map<std::pair<std::string, uint32_t>, uint32_t> StructOf;
  std::vector<TraceObject> Objects;
};

/// The first walk: units, objects, streams.
std::optional<Failure> Joiner::survey() {
  RawTrace Walk = Raw;
  for (RawTraceRecord R; Walk.next(R);) {
    switch (R.What) {
    case RawTraceRecord::Unit: {
      if (uint64_t(R.TraceBase) + R.Sites > SiteLimit)
        return Failure{"raw trace is damaged: sites beyond 2^24"};
      auto [At, New] = Units.try_emplace(R.TraceBase, Unit{R.Hash, R.Sites});
      if (!New && (At->second.Hash != R.Hash || At->second.Sites != R.Sites))
        return Failure{"raw trace is damaged: two units have the same sites"};
      break;
    }
    case RawTraceRecord::Object:
      RawObjects.push_back(R);
      break;
    case RawTraceRecord::Cache:
      Lives.cache(R);
      break;
    case RawTraceRecord::Image:
      Images.add(R.Name, {R.Address, R.End, R.Bias});
      break;
    case RawTraceRecord::Events:
    case RawTraceRecord::KernelEvents:
      if (__builtin_add_overflow(Notes.Lost, R.Lost, &Notes.Lost))
        return Failure{"raw trace is damaged: losses do not fit 64 bits"};
      if (R.Count)
        Streams.insert(R.Stream);
      if (R.Count && R.What == RawTraceRecord::Events)
        Spans.add(R.Stream, R.event(0).Time, R.event(R.Count - 1).Time);
      break;
    }
  }
  if (Walk.failure())
    return Walk.failure();
  if (Streams.size() > MaxTraceStreams)
    return Failure{"raw trace has events of " + std::to_string(Streams.size()) +
                   " CPUs or threads; at most " +
                   std::to_string(MaxTraceStreams) + " are read"};
  Notes.Streams = static_cast<uint32_t>(Streams.size());
  if (Spans.threads() > MaxThreads)
    CpuOf = Spans.onCpus(MaxThreads);
  return std::nullopt;
}

std::optional<Failure> Joiner::findUnits() {
  uint32_t End = 0;
  for (const auto &[First, Of] : Units) {
    if (First < End)
      return Failure{"raw trace is damaged: two units have the same sites"};
    End = First + Of.Sites;
    auto Found = TableOf.find(Of.Hash);
    if (Found == TableOf.end()) {
      ++Notes.UnitsWithoutTable;
      continue;
    }
    const CounterTable &T = *Found->second;
    if (T.Sites.size() != Of.Sites)
      return Failure{std::string("unit ") + T.text(T.MainFile) + " has " +
                     std::to_string(Of.Sites) + " sites in the raw trace, " +
                     std::to_string(T.Sites.size()) + " in its table"};
    ++Notes.Units;
    Known.push_back({First, Of.Sites, EventsOf.size(), &T});
    EventsOf.resize(EventsOf.size() + Of.Sites);
  }
  for (auto *Of : {&SiteOf, &StraySiteOf})
    Of->resize(EventsOf.size(), NoTraceSite);
  StrayOf.resize(EventsOf.size());
  return std::nullopt;
}

/// Where the site is in the dense tables, or NoPlace. Events of one unit come
/// behind one another more often than not.
size_t Joiner::denseOf(uint32_t RawSite) {
  auto In = [&](const KnownUnit &Of) {
    return RawSite >= Of.First && RawSite - Of.First < Of.Sites;
  };
  if (LastKnown >= Known.size() || !In(Known[LastKnown])) {
    auto At = std::upper_bound(
        Known.begin(), Known.end(), RawSite,
        [](uint32_t Site, const KnownUnit &Of) { return Site < Of.First; });
    if (At == Known.begin() || !In(*--At))
      return NoPlace;
    LastKnown = static_cast<size_t>(At - Known.begin());
  }
  return Known[LastKnown].Begin + (RawSite - Known[LastKnown].First);
}

/// The second walk: how often each site occurs, with an object and without.
void Joiner::countEvents() {
  ArrayPlaces Places;
  RawTrace Walk = Raw;
  for (RawTraceRecord R; Walk.next(R);)
    if (R.hasEvents())
      R.forEach(
          [&](const RawTraceEvent &E) {
            size_t Place = denseOf(E.Site);
            if (Place == NoPlace) {
              ++Notes.Unknown;
              return;
            }
            const kst_table_site &Row = rowOf(E.Site);
            const bool Placed = Places.of(R.Stream, E, Row).has_value();
            if (isNoAccess(Row)) {
              if (Row.marks & (KST_MARK_START | KST_MARK_JOIN))
                Phases.add(E.Time, Row.marks & KST_MARK_START);
              return;
            }
            ++(Placed ? EventsOf : StrayOf)[Place];
            ++Notes.Events;
          },
          [&](const RawTraceEvent &E, const RawLife &) {
            ++(E.Site == KST_LIFE_FREE ? Notes.Frees : Notes.Allocations);
          });
}

/// The walk for types: objects and what accesses say of them.
void Joiner::followLives() {
  struct Place {
    uint32_t Struct = NoStruct, OffsetBytes = 0;
  };
  std::vector<Place> PlaceOf(EventsOf.size()); ///< Struct: row of Accessed
  std::map<std::pair<std::string, uint32_t>, uint32_t> RowOf;
  for (const KnownUnit &Of : Known) {
    const CounterTable &T = *Of.Table;
    for (uint32_t I = 0; I < Of.Sites; ++I) {
      const kst_table_site &Site = T.Sites[I];
      if (Site.record == KST_NO_RECORD)
        continue;
      const kst_table_record &S = T.Structs[Site.record];
      auto [At, New] = RowOf.try_emplace({std::string(T.text(S.name)), S.size},
                                         uint32_t(Accessed.size()));
      if (New) {
        const bool Flexible =
            S.elements && !T.Elements[S.first_element + S.elements - 1].size;
        Accessed.push_back({At->first.first, S.size, Flexible, 0});
      }
      PlaceOf[Of.Begin + I] = {At->second, Site.offset};
    }
  }
  EventsByTime Events;
  RawTrace Walk = Raw;
  for (RawTraceRecord R; Walk.next(R);)
    if (R.What == RawTraceRecord::KernelEvents)
      Events.add(R);
  ArrayPlaces Places;
  Events.forEach(
      [&](const RawTraceEvent &E, uint32_t Stream) {
        const size_t Dense = denseOf(E.Site);
        if (Dense == NoPlace || PlaceOf[Dense].Struct == NoStruct)
          return;
        if (auto Place = Places.of(Stream, E, rowOf(E.Site)))
          Lives.access(*Place - PlaceOf[Dense].OffsetBytes,
                       PlaceOf[Dense].Struct);
      },
      [&](const RawTraceEvent &E, const RawLife &Of) { Lives.life(E, Of); });
}

/// Its sites are in the dense tables from Begin on.
void Joiner::unit(const CounterTable &T, size_t Begin) {
  const std::vector<uint32_t> StructId = addStructs(Make, T);
  for (size_t I = 0; I < T.Structs.size(); ++I)
    StructOf.try_emplace({T.text(T.Structs[I].name), T.Structs[I].size},
                         StructId[I]);
  for (uint32_t I = 0; I < T.Sites.size(); ++I) {
    if (!isNoAccess(T.Sites[I]))
      SiteOf[Begin + I] =
          addSite(Make, T, T.Sites[I], StructId, EventsOf[Begin + I]);
    if (!StrayOf[Begin + I])
      continue;
    kst_table_site Bare = T.Sites[I];
    Bare.record = KST_NO_RECORD;
    Bare.kind = byAddress(Bare.kind);
    Bare.offset = 0;
    Bare.size = Bare.element;
    StraySiteOf[Begin + I] =
        addSite(Make, T, Bare, StructId, StrayOf[Begin + I]);
  }
}

/// The program has them, so they were traced, and never ran.
void Joiner::unitsWithoutEvents() {
  for (const KnownUnit &Of : Known)
    TableOf.erase(Of.Table->Hash);
  for (const auto &[Hash, T] : TableOf) {
    size_t Begin = EventsOf.size();
    EventsOf.resize(Begin + T->Sites.size());
    for (auto *Of : {&SiteOf, &StraySiteOf})
      Of->resize(EventsOf.size(), NoTraceSite);
    StrayOf.resize(EventsOf.size());
    unit(*T, Begin);
  }
}

std::optional<Failure> Joiner::makeSites() {
  if (Notes.Unknown && !Notes.Events)
    return Failure{"none of " + std::to_string(Units.size()) +
                   " units with events is among the " +
                   std::to_string(TableOf.size()) +
                   " tables: the program that ran is not the one given"};
  for (const KnownUnit &Of : Known)
    unit(*Of.Table, Of.Begin);
  unitsWithoutEvents();
  return std::nullopt;
}

void Joiner::objects() {
  for (const RawTraceRecord &R : RawObjects) {
    auto [At, New] =
        StructOf.try_emplace({std::string(R.Struct), R.SizeBytes}, 0);
    if (New)
      At->second = Make.structure(R.Struct, R.SizeBytes);
    Objects.push_back({R.Address, R.SizeBytes, R.Number, At->second, R.Cpu});
  }
}

void Joiner::writeEvents(TraceWriter &Out, const Profile &About) {
  std::map<uint32_t, uint64_t> LeftOut; ///< by stream, before its next event
  std::map<uint32_t, uint8_t> ContextOf;
  ArrayPlaces Places;
  RawTrace Walk = Raw;
  std::vector<RawTraceRecord> Records;
  for (RawTraceRecord R; Walk.next(R);)
    if (R.hasEvents())
      Records.push_back(R);
  // Buffers were written when they were full: threads of one CPU in any order.
  if (!CpuOf.empty())
    std::ranges::stable_sort(Records, {}, [](const RawTraceRecord &R) {
      return R.Count ? R.event(0).Time : 0;
    });
  for (const RawTraceRecord &R : Records) {
    const auto Cpu = CpuOf.find(R.Stream);
    const uint32_t Stream = Cpu == CpuOf.end() ? R.Stream : Cpu->second;
    uint64_t &Lost = LeftOut[Stream];
    uint8_t &Context = ContextOf[Stream];
    Lost += R.Lost;
    auto Write = [&](TraceEvent E) {
      E.Stream = Stream;
      E.LostBefore = std::exchange(Lost, 0);
      Out.event(E);
    };
    auto Enter = [&](const RawTraceEvent &From) {
      if (From.Context == Context)
        return;
      TraceEvent E;
      E.Time = From.Time;
      E.Site = NoTraceSite;
      E.Kind = EventKind::Context;
      for (uint8_t Of : {Context, From.Context}) {
        E.Info = static_cast<uint32_t>(Contexts[Of]);
        E.Index = Of == From.Context;
        if (Of != KST_CONTEXT_TASK)
          Write(E);
      }
      Context = From.Context;
    };
    R.forEach(
        [&](const RawTraceEvent &From) {
          size_t Place = denseOf(From.Site);
          if (Place == NoPlace) {
            ++Lost;
            return;
          }
          const kst_table_site &Row = rowOf(From.Site);
          const auto At = Places.of(R.Stream, From, Row);
          if (isNoAccess(Row))
            return;
          Enter(From);
          const uint32_t Number = (At ? SiteOf : StraySiteOf)[Place];
          const MeasuredSite &Site = About.Sites[Number];
          TraceEvent E;
          E.Time = From.Time;
          E.Address = From.Address;
          E.Site = Number;
          E.Access = accessBits(Site.Kind);
          E.SizeBytes = Row.element ? Row.element : Site.SizeBytes;
          E.Index = At ? From.Address - *At : 0;
          Write(E);
        },
        [&](const RawTraceEvent &From, const RawLife &Of) {
          Enter(From);
          Write(Lives.event(From, Of));
        });
  }
  for (const auto &[Stream, Lost] : LeftOut)
    if (Lost)
      Out.lost(Stream, Lost);
}

Result<TraceNotes> Joiner::run(const std::string &Label, TraceWriter::Sink To) {
  if (auto Wrong = survey())
    return *Wrong;
  if (auto Wrong = findUnits())
    return *Wrong;
  countEvents();
  if (__builtin_add_overflow(Notes.Lost, Notes.Unknown, &Make.Lost))
    return Failure{"raw trace is damaged: losses do not fit 64 bits"};
  if (Lives.any())
    followLives();
  if (auto Wrong = makeSites())
    return *Wrong;
  objects();
  if (Lives.any()) {
    for (AccessedStruct &S : Accessed)
      S.Row = StructOf.at({S.Name, S.SizeBytes});
    Lives.name(Make, Names, Accessed);
  }
  Make.Text = Raw.text();
  Images.write(Make.Text);
  if (Spans.threads()) {
    Make.Text[RanThreads] = std::to_string(Spans.threads());
    char Share[32]; // however small, more than 0 is not 0
    const auto End = std::to_chars(Share, std::end(Share), Spans.overlap(),
                                   std::chars_format::general, 3);
    Make.Text[RanTogether] = std::string(Share, End.ptr);
    if (Phases.any())
      Make.Text[StartedBehind] = Phases.text();
  }
  if (!Label.empty())
    Make.Text["label"] = Label;
  if (auto At = Make.Text.find("duration_ns"); At != Make.Text.end()) {
    const std::string &Digits = At->second;
    std::from_chars(Digits.data(), Digits.data() + Digits.size(),
                    Make.DurationNs);
    Make.Text.erase(At);
  }
  ProfileBuilder::Numbers Numbers;
  auto About = Make.finish(&Numbers);
  if (!About)
    return Failure{About.error()};
  for (auto *Of : {&SiteOf, &StraySiteOf})
    for (uint32_t &Site : *Of)
      if (Site != NoTraceSite)
        Site = Numbers.Sites[Site];
  for (TraceObject &O : Objects)
    O.Struct = Numbers.Structs[O.Struct];
  std::sort(Objects.begin(), Objects.end(),
            [](const TraceObject &A, const TraceObject &B) {
              return std::tie(A.Address, A.SizeBytes, A.Struct, A.Cpu,
                              A.Number) < std::tie(B.Address, B.SizeBytes,
                                                   B.Struct, B.Cpu, B.Number);
            });
  Objects.erase(std::unique(Objects.begin(), Objects.end()), Objects.end());
  TraceTables Tables;
  Tables.About = std::move(*About);
  Tables.Objects = std::move(Objects);
  if (Lives.any())
    Lives.finish(Numbers, Tables);
  TraceWriter Out(Tables, std::move(To));
  writeEvents(Out, Tables.About);
  if (!Out.finish())
    return Failure{"the trace could not be written"};
  return Notes;
}

} // namespace

Result<TraceNotes> joinTrace(std::string_view Raw,
                             const std::vector<CounterTable> &Tables,
                             const std::string &Label, TraceWriter::Sink To,
                             const CallerNames &Names) {
  auto Walk = RawTrace::open(Raw);
  if (!Walk)
    return Failure{Walk.error()};
  return Joiner(*Walk, Tables, Names).run(Label, std::move(To));
}

} // namespace kst
