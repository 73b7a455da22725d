// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checksums are mended first, or nothing would get past them.

#include "FuzzTargets.h"

#include "../unit/import/SmallTable.h"
#include "../unit/trace/SmallTrace.h"

#include "hybrid/core/Hash.h"
#include "hybrid/dprof/Dprof.h"
#include "hybrid/dprof/SourceUse.h"
#include "hybrid/facts/FactsCheck.h"
#include "hybrid/import/AccessLog.h"
#include "hybrid/import/CounterJoin.h"
#include "hybrid/import/KernelLives.h"
#include "hybrid/import/Lackey.h"
#include "hybrid/import/LineCoverage.h"
#include "hybrid/import/PerfData.h"
#include "hybrid/import/PerfText.h"
#include "hybrid/import/TraceDat.h"
#include "hybrid/import/TraceJoin.h"
#include "hybrid/index/IndexFile.h"
#include "hybrid/profile/ProfileCheck.h"
#include "hybrid/profile/ProfileFile.h"
#include "hybrid/profile/ProfileMerge.h"
#include "hybrid/profile/ReferenceText.h"
#include "hybrid/replay/ByteMoves.h"
#include "hybrid/trace/TraceBlock.h"
#include "hybrid/trace/TraceContexts.h"
#include "hybrid/trace/TraceText.h"
#include "hybrid/trace/TraceWriter.h"

#include <cstdio>
#include <cstring>
#include <numeric>
#include <zstd.h>

namespace kst_fuzz {

using namespace kst;
using kst_test::smallTables;

template <typename T> static T at(const std::string &Bytes, size_t Offset) {
  T Value = 0;
  if (Bytes.size() >= Offset + sizeof(T))
    memcpy(&Value, &Bytes[Offset], sizeof(T));
  return Value;
}
template <typename T>
static void set(std::string &Bytes, size_t Offset, T Value) {
  if (Bytes.size() >= Offset + sizeof(T))
    memcpy(&Bytes[Offset], &Value, sizeof(T));
}

static void mendProfile(std::string &Bytes, size_t Begin, size_t End) {
  if (Begin > End || End > Bytes.size() || End - Begin < 56)
    return;
  set<uint64_t>(Bytes, Begin + 16, End - Begin);
  set(Bytes, Begin + 24,
      hash64(std::string_view(Bytes).substr(Begin + 32, End - Begin - 32)));
}

static void profile(std::string Bytes) {
  (void)readProfile(Bytes);
  mendProfile(Bytes, 0, Bytes.size());
  auto Read = readProfile(Bytes);
  if (!Read)
    return;
  demand(!checkProfile(*Read));
  auto Again = readProfile(writeProfile(*Read));
  demand(Again && *Again == *Read);
  auto Sum = mergeProfiles({{"a", *Read}, {"b", *Again}, {"c", Profile()}});
  demand(!Sum || !checkProfile(*Sum));
}

/// The end record says how long the file is: this makes it true, and gives one
/// to a file that has none. Head: what it begins with.
static void mendEnd(std::string &Bytes, const std::string &Head, bool Before) {
  size_t Size = Head.size() + 8;
  size_t At = Bytes.size();
  if (At >= Size &&
      Bytes.substr(At - Size + (Before ? 8 : 0), Head.size()) == Head)
    At -= Size;
  Bytes.resize(At);
  std::string Number(8, '\0');
  set<uint64_t>(Number, 0, At);
  Bytes += Before ? Number + Head : Head + Number;
}

/// u32 bytes of a section with tables, the section, raw counters.
static void counters(std::string Bytes) {
  if (Bytes.size() < 4)
    return;
  size_t Size = std::min<size_t>(at<uint32_t>(Bytes, 0), Bytes.size() - 4);
  std::string Section = Bytes.substr(4, Size), Raw = Bytes.substr(4 + Size);
  (void)readCounterTables(Section);
  // Every table gets the hash that it should have; its record too.
  for (size_t At = 0; At + 64 <= Section.size();) {
    uint32_t Length = at<uint32_t>(Section, At + 12);
    if (Length < 64 || Length % 8 || Length > Section.size() - At)
      break;
    uint64_t Old = at<uint64_t>(Section, At + 16);
    uint64_t New =
        hash64(std::string_view(Section).substr(At + 24, Length - 24));
    set(Section, At + 16, New);
    for (size_t I = 16; I + 16 <= Raw.size(); I += 8)
      if (at<uint64_t>(Raw, I) == Old)
        set(Raw, I, New);
    At += Length;
  }
  auto Tables = readCounterTables(Section);
  (void)readRawCounters(Raw);
  mendEnd(Raw, std::string("\0\0\0\0\2\0\0\0", 8), true);
  auto Counters = readRawCounters(Raw);
  if (!Tables || !Counters)
    return;
  auto Joined = joinCounters(*Counters, *Tables);
  demand(!Joined || !checkProfile(Joined->What));
}

/// Makes the checksums of a trace fit, as far as it has the form of one.
static void mendTrace(std::string &Bytes) {
  for (size_t At = sizeof(TraceHeader);
       At + sizeof(TraceBlockHead) <= Bytes.size();) {
    size_t Body = At + sizeof(TraceBlockHead);
    size_t Length = at<uint32_t>(Bytes, At + 36);
    std::string_view All = Bytes;
    if (Length > Bytes.size() - Body)
      Length = Bytes.size() - Body;
    set(Bytes, At, hash64(All.substr(Body, Length)));
    set(Bytes, At + 44, static_cast<uint32_t>(hash64(All.substr(At, 44))));
    At = Body + Length;
  }
}

/// Every access of a trace is in a row, and every row in the sum.
static void dataProfile(std::string_view Bytes) {
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return;
  DprofOptions Options;
  Options.Geometry = *parseCacheGeometry("l1=256/2,l2=1K/4,llc=4K/4,line=16");
  Options.Sharing = ClassRule::Lifetime;
  auto Profile = dprof(*Trace, Options);
  if (!Profile)
    return;
  AccessCounts Sum;
  for (const TypeRow &Of : Profile->Types)
    Sum += Of.Counts;
  demand(Sum == Profile->All);
}

static void order(const ReportedOrder &Order) {
  const uint64_t End = Order.Record.SizeBytes;
  ByteMoves Moves(Order.Record, {&Order.Current, &Order.Proposed});
  uint64_t Led = 0, Known = 0;
  Moves.forEachStep(
      0, 0, End, 64,
      [&](const BytePiece &, uint32_t Bytes, std::span<const uint64_t> To) {
        demand(Bytes && Bytes <= 64);
        Led += Bytes;
      });
  for (const BytePiece &Piece : Moves.pieces())
    Known += Piece.End - Piece.Begin;
  demand(Led == Known);
  std::vector<uint32_t> Themselves(Order.Record.Fields.size());
  std::iota(Themselves.begin(), Themselves.end(), 0);
  const SourceUse Source(Order.Sets, Themselves);
  for (uint32_t F = 0; F < std::min<size_t>(Themselves.size(), 8); ++F)
    if (const auto Both = Source.together(0, F))
      demand(Both->Share >= 0 && Both->Share <= 1 + 1e-9);
}

static void orders(std::string Bytes) {
  if (auto Orders = ReportedOrder::read(Bytes, ""))
    for (const ReportedOrder &Order : *Orders)
      order(Order);
}

static void walk(std::string_view Bytes) {
  auto Trace = TraceReader::open(Bytes);
  if (!Trace)
    return;
  uint64_t Events = 0;
  ObjectTable Objects(Trace->tables());
  TraceContexts Contexts;
  TraceText Text(*Trace, "");
  std::string Line;
  for (TraceEvent E; Trace->next(E); ++Events) {
    demand(E.Site == NoTraceSite || E.Site < Trace->about().Sites.size());
    Objects.apply(E);
    Contexts.apply(E);
    TracePlace At = Objects.place(E);
    demand(At.Struct == NoStruct || At.Struct < Trace->about().Structs.size());
    TracePlace In = Objects.place(E.Address);
    demand(In.What != TracePlace::Allocated || In.OffsetBytes < In.SizeBytes);
    Line.clear();
    Text.line(E, Line);
  }
  demand(Trace->failure() || Events == Trace->events());
  uint64_t Live = 0;
  Objects.forEachLive(
      [&](const TracePlace &At) { Live += At.What == TracePlace::Allocated; });
  demand(Live == Objects.live());
  dataProfile(Bytes);
}

/// The fuzzer does not write zstd: its bytes are what a block has uncompressed.
static void packed(const std::string &Bytes) {
  std::string Out;
  TraceWriter To(smallTables(), [&](std::string_view Part) {
    Out += Part;
    return true;
  });
  To.finish();
  Out.resize(Out.size() - traceBlock({}, "").size());
  TraceBlockHead Head;
  Head.FirstTime = at<uint64_t>(Bytes, 0);
  Head.Events = at<uint8_t>(Bytes, 8);
  if (Bytes.size() > 9)
    walk(Out + traceBlock(Head, std::string_view(Bytes).substr(9)));
}

static void trace(std::string Bytes) {
  walk(Bytes);
  mendTrace(Bytes);
  walk(Bytes);
  packed(Bytes);
}

static void rawTrace(std::string Bytes) {
  kst_test::Table Table = kst_test::smallTable();
  auto Tables = readCounterTables(Table.blob());
  demand(bool(Tables));
  (void)joinTrace(Bytes, *Tables, "", [](std::string_view) { return true; });
  mendEnd(Bytes, std::string("\4\0\0\0\0\0\0\0\10\0\0\0\0\0\0\0", 16), false);
  std::string Out;
  auto Notes = joinTrace(Bytes, *Tables, "", [&](std::string_view Part) {
    Out += Part;
    return true;
  });
  if (!Notes)
    return;
  auto Trace = TraceReader::open(Out);
  demand(bool(Trace));
  uint64_t Of[EventKinds] = {};
  for (TraceEvent E; Trace->next(E);)
    ++Of[size_t(E.Kind)];
  demand(!Trace->failure() && Of[size_t(EventKind::Access)] == Notes->Events &&
         Of[size_t(EventKind::Alloc)] == Notes->Allocations &&
         Of[size_t(EventKind::Free)] == Notes->Frees);
}

static void perfText(std::string Bytes) {
  (void)looksLikePerfText(Bytes);
  auto Read = readPerfText(Bytes);
  demand(!Read || !checkProfile(Read->What));
}

static void lineCoverage(std::string Bytes) {
  (void)looksLikeLineCoverage(Bytes);
  const FunctionPlaces Places = [](std::string_view,
                                   std::string_view Function) {
    return std::optional<NamedLine>(
        {"", static_cast<uint32_t>(Function.size())});
  };
  for (const FunctionPlaces &Of : {FunctionPlaces(), Places}) {
    auto Read = readLineCoverage(Bytes, Of);
    demand(!Read || !checkProfile(Read->What));
  }
}

static void accessLog(std::string Bytes) {
  (void)looksLikeAccessLog(Bytes);
  auto Read = readAccessLog(Bytes);
  demand(!Read || !checkProfile(Read->What));
  std::string Out;
  auto Notes = traceOfAccessLog(Bytes, "", [&](std::string_view Part) {
    Out += Part;
    return true;
  });
  demand(bool(Notes) == bool(Read));
  if (Notes)
    walk(Out);
}

static void reference(std::string Bytes) {
  auto Read = readReference(Bytes);
  demand(!Read || !checkProfile(*Read));
}

static void readIndexBytes(const std::string &Bytes) {
  auto Read = readIndex(Bytes);
  if (!Read)
    return;
  auto Again = readIndex(writeIndex(*Read, 1));
  demand(Again && Again->Store.units() == Read->Store.units());
  std::vector<uint32_t> Units(Read->Store.size());
  std::iota(Units.begin(), Units.end(), 0);
  for (uint32_t Unit : Units)
    demand(!checkFacts(Read->Store.unit(Unit)));
  if (!Units.empty())
    demand(!checkFacts(Read->Store.merged(Units)));
  FactsStore Sum;
  Sum.add(Read->Store);
  demand(Sum.size() == Units.size());
}

/// The fuzzer does not write zstd: u32 bytes of the first and of the second of
/// three sections, then what they have unpacked, the second with a checksum
/// that fits.
static void packedIndex(const std::string &Bytes) {
  if (Bytes.size() < 8)
    return;
  const std::string_view Rest = std::string_view(Bytes).substr(8);
  const size_t Head = std::min<size_t>(at<uint32_t>(Bytes, 0), Rest.size());
  const size_t Facts =
      std::min<size_t>(at<uint32_t>(Bytes, 4), Rest.size() - Head);
  std::string Middle(Rest.substr(Head, Facts));
  if (Middle.size() >= 32) {
    set<uint64_t>(Middle, 16, Middle.size());
    set(Middle, 24, hash64(std::string_view(Middle).substr(32)));
  }
  const std::string_view Raw[] = {Rest.substr(0, Head), Middle,
                                  Rest.substr(Head + Facts)};
  std::string Table(3 * 32, '\0'), Body, Start = "KSTINDEX";
  for (size_t I = 0; I != 3; ++I) {
    std::string Packed(ZSTD_compressBound(Raw[I].size()), '\0');
    Packed.resize(ZSTD_compress(Packed.data(), Packed.size(), Raw[I].data(),
                                Raw[I].size(), 1));
    set<uint64_t>(Table, I * 32, 32 + Table.size() + Body.size());
    set<uint64_t>(Table, I * 32 + 8, Packed.size());
    set<uint64_t>(Table, I * 32 + 16, Raw[I].size());
    set<uint64_t>(Table, I * 32 + 24, hash64(Packed));
    Body += Packed;
  }
  Start.resize(32);
  set<uint32_t>(Start, 8, IndexFormatVersion);
  set<uint32_t>(Start, 12, 3);
  set<uint64_t>(Start, 16, Start.size() + Table.size() + Body.size());
  set(Start, 24, hash64(Table));
  readIndexBytes(Start + Table + Body);
}

static void index(std::string Bytes) {
  if (looksLikeIndex(Bytes))
    readIndexBytes(Bytes);
  else
    packedIndex(Bytes);
}

static void lackey(std::string Bytes) {
  (void)looksLikeLackey(Bytes);
  std::string Out;
  auto Notes = traceOfLackey(Bytes, "", [&](std::string_view Part) {
    Out += Part;
    return true;
  });
  if (Notes)
    walk(Out);
}

/// What trace-cmd or perf recorded: both walks see the same.
static void recording(std::string Bytes) {
  bool Perf = looksLikePerfData(Bytes);
  (void)looksLikeTraceDat(Bytes);
  auto From = Perf ? openPerfData(Bytes) : openTraceDat(Bytes);
  if (!From)
    return;
  KernelLives Lives(0, (*From)->pageBytes());
  uint64_t Surveyed = 0, Converted = 0, Events = 0;
  if ((*From)->walk([&](const KernelRecord &R) {
        ++Surveyed;
        Lives.survey(R);
        (void)(*From)->functionAt(R.Caller);
      }))
    return;
  Lives.finish();
  const size_t Sites = Lives.sites().size(), Caches = Lives.caches().size();
  demand(!(*From)->walk([&](const KernelRecord &R) {
    ++Converted;
    Lives.convert(R, [&](const TraceEvent &E) {
      ++Events;
      demand(E.Site == NoTraceSite || E.Site < Sites);
      demand(E.Stream < MaxTraceStreams);
      demand((E.Kind != EventKind::Alloc && E.Kind != EventKind::Free) ||
             E.Info == NoAllocator || E.Info < Caches);
    });
  }));
  demand(Surveyed == Converted && Events == Lives.counts().Events);
  demand(Sites == Lives.sites().size() && Caches == Lives.caches().size());
}

const Target Targets[] = {{"profile", profile},
                          {"counters", counters},
                          {"trace", trace},
                          {"raw-trace", rawTrace},
                          {"perf-text", perfText},
                          {"access-log", accessLog},
                          {"lackey", lackey},
                          {"recording", recording},
                          {"order", orders},
                          {"reference", reference},
                          {"line-coverage", lineCoverage},
                          {"index", index},
                          {nullptr, nullptr}};

const Target &chosenTarget() {
  const char *Name = getenv("KST_FUZZ_TARGET");
  for (const Target *T = Targets; Name && T->Name; ++T)
    if (!strcmp(T->Name, Name))
      return *T;
  fprintf(stderr, "KST_FUZZ_TARGET is none of:");
  for (const Target *T = Targets; T->Name; ++T)
    fprintf(stderr, " %s", T->Name);
  fprintf(stderr, "\n");
  exit(2);
}

} // namespace kst_fuzz
