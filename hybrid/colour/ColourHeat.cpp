// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/ColourHeat.h"

#include "hybrid/cache/CacheModel.h"
#include "hybrid/colour/CrowdedSets.h"
#include "hybrid/colour/RankCorrelation.h"
#include "hybrid/trace/ObjectTable.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>

namespace kst {
namespace {

constexpr size_t MostSets = 20, MostPairs = 20, StripCells = 64;
constexpr uint64_t MostWindowLines = 1 << 20;
constexpr uint64_t MapBytes = uint64_t(1) << 46, ImageBytes = 0x20000000;

class HeatMaker {
public:
  HeatMaker(const TraceReader &Trace, const HeatOptions &Options)
      : Trace(Trace), Options(Options), Objects(Trace.tables()),
        Map(PhysicalMap::of(Trace.about())),
        Model(geometry(Options), modelOptions()),
        Crowded(setsOf(Options.Cache), Options.Cache.Ways,
                std::min(Options.WindowLines
                             ? Options.WindowLines
                             : setsOf(Options.Cache) * Options.Cache.Ways,
                         MostWindowLines)) {
    Out.Cache = Options.Cache;
    Out.Sets = setsOf(Options.Cache);
    Conflicts.resize(Out.Sets);
    Used.resize(Out.Sets);
  }
  Result<ColourHeat> run(TraceReader &From);

private:
  static uint64_t setsOf(const MemoryCache &Of) {
    return Of.Bytes / Of.Ways / Of.LineBytes;
  }
  static CacheGeometry geometry(const HeatOptions &Options) {
    CacheGeometry Out;
    Out.LineBytes = Options.Cache.LineBytes;
    Out[CacheLevel::Llc] = {setsOf(Options.Cache), Options.Cache.Ways};
    return Out;
  }
  static CacheOptions modelOptions() {
    CacheOptions Out;
    Out.Coherent = false; // one cache behind all CPUs
    Out.Classes = ClassRule::AtMiss;
    return Out;
  }
  uint32_t type(const TraceEvent &E);
  void access(const TraceEvent &E);
  void finish();

  const TraceReader &Trace;
  const HeatOptions &Options;
  ObjectTable Objects;
  const PhysicalMap Map;
  CacheModel Model;
  ColourHeat Out;
  std::map<std::string, uint32_t> TypeOf;
  CrowdedSets Crowded;
  std::vector<uint64_t> Conflicts; ///< by set
  std::vector<bool> Used;
};

uint32_t HeatMaker::type(const TraceEvent &E) {
  const TracePlace At = Objects.place(E);
  const Profile &P = Trace.about();
  std::string Name = "other";
  if (At.Struct != NoStruct)
    Name = P.text(P.Structs[At.Struct].Name);
  else if (At.Allocator < Trace.tables().Allocators.size())
    Name = Trace.tables().Allocators[At.Allocator].Name;
  else if (At.What == TracePlace::Page)
    Name = "page";
  else if (At.What == TracePlace::CachedPage)
    Name = "cached-page";
  if (At.What == TracePlace::FreeSlot)
    Name = "free:" + Name;
  auto [Found, New] = TypeOf.try_emplace(Name, uint32_t(Out.Types.size()));
  if (New) {
    Out.Types.emplace_back();
    Out.Types.back().Name = Name;
    Out.Types.back().Strip.resize(std::min<uint64_t>(StripCells, Out.Sets));
  }
  return Found->second;
}

void HeatMaker::access(const TraceEvent &E) {
  uint64_t Physical = 0;
  if (!Map.physical(E.Address, Physical)) {
    ++Out.NoPhysical;
    return;
  }
  const uint32_t Type = type(E);
  const uint32_t Bytes = std::clamp<uint32_t>(E.SizeBytes, 1, 4096);
  const uint64_t First = Physical / Options.Cache.LineBytes,
                 Last = (Physical + Bytes - 1) / Options.Cache.LineBytes;
  for (uint64_t Line = First; Line <= Last; ++Line) {
    const uint64_t Set = Line % Out.Sets;
    HeatType &Of = Out.Types[Type];
    ++Out.Accesses;
    ++Of.Accesses;
    ++Of.Strip[Set * Of.Strip.size() / Out.Sets];
    Used[Set] = true;
    Crowded.access(Set, Line, Type);
    const AccessOutcome &Did =
        Model.access({Line * Options.Cache.LineBytes, 1, 0, AccessKind::Load});
    const MissClass Why = Did.Class[size_t(CacheLevel::Llc)];
    Of.Misses += Why != MissClass::None;
    Of.Conflicts += Why == MissClass::Conflict;
    Out.Misses += Why != MissClass::None;
    Out.Conflicts += Why == MissClass::Conflict;
    Conflicts[Set] += Why == MissClass::Conflict;
  }
}

void HeatMaker::finish() {
  Crowded.endWindow();
  Out.Windows = Crowded.windows();
  const std::vector<uint64_t> &Heat = Crowded.Heat, &Excess = Crowded.Excess;
  for (const auto &[Set, Types] : Crowded.TypesOf)
    for (auto [Type, Number] : Types)
      Out.Types[Type].Crowded += Number;
  std::vector<uint64_t> Sets(Out.Sets), UsedHeat, UsedConflicts;
  std::iota(Sets.begin(), Sets.end(), 0);
  std::stable_sort(Sets.begin(), Sets.end(),
                   [&](uint64_t A, uint64_t B) { return Heat[A] > Heat[B]; });
  for (uint64_t Set = 0; Set < Out.Sets; ++Set) {
    Out.CrowdedSets += Excess[Set] != 0;
    if (Used[Set]) {
      UsedHeat.push_back(Heat[Set]);
      UsedConflicts.push_back(Conflicts[Set]);
    }
  }
  Out.Rank = rankCorrelation(UsedHeat, UsedConflicts);
  Out.SetsInFullest = (Out.Sets + 9) / 10;
  for (uint64_t I = 0; I < Out.SetsInFullest; ++I)
    Out.ConflictsInFullest += Conflicts[Sets[I]];
  // By accesses; what refers to types goes along.
  std::vector<uint32_t> Line(Out.Types.size()), NewOf(Out.Types.size());
  std::iota(Line.begin(), Line.end(), 0);
  std::stable_sort(Line.begin(), Line.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(~Out.Types[A].Accesses, Out.Types[A].Name) <
           std::pair(~Out.Types[B].Accesses, Out.Types[B].Name);
  });
  std::vector<HeatType> Types;
  for (uint32_t I = 0; I < Line.size(); ++I) {
    NewOf[Line[I]] = I;
    Types.push_back(std::move(Out.Types[Line[I]]));
  }
  Out.Types = std::move(Types);
  auto ByNumber = [](const auto &A, const auto &B) {
    return std::pair(~A.second, A.first) < std::pair(~B.second, B.first);
  };
  for (size_t I = 0; I < std::min<uint64_t>(MostSets, Out.CrowdedSets); ++I) {
    HeatSet Of{Sets[I], Excess[Sets[I]], Heat[Sets[I]], Conflicts[Sets[I]], {}};
    for (auto [Type, Number] : Crowded.TypesOf[Of.Set])
      Of.Types.push_back({NewOf[Type], Number});
    std::sort(Of.Types.begin(), Of.Types.end(), ByNumber);
    Out.Fullest.push_back(std::move(Of));
  }
  for (auto [Of, Number] : Crowded.Meetings) {
    auto [A, B] = std::minmax(NewOf[Of.first], NewOf[Of.second]);
    Out.Pairs.push_back({A, B, Number});
  }
  std::sort(Out.Pairs.begin(), Out.Pairs.end(), [](auto &A, auto &B) {
    return std::tuple(~A.Meetings, A.A, A.B) <
           std::tuple(~B.Meetings, B.A, B.B);
  });
  Out.Pairs.resize(std::min(Out.Pairs.size(), MostPairs));
}

Result<ColourHeat> HeatMaker::run(TraceReader &From) {
  for (TraceEvent E; From.next(E);) {
    Objects.apply(E);
    if (E.Kind == EventKind::Access && E.Access)
      access(E);
  }
  if (From.failure())
    return *From.failure();
  if (!Out.Accesses)
    return Failure{"no access to kernel objects whose physical address is "
                   "known"};
  finish();
  return std::move(Out);
}

} // namespace

PhysicalMap PhysicalMap::of(const Profile &About) {
  PhysicalMap Out;
  if (auto At = About.Text.find("page 0"); At != About.Text.end()) {
    std::string_view Words = At->second;
    if (Words.starts_with("0x"))
      std::from_chars(Words.data() + 2, Words.data() + Words.size(),
                      Out.DirectMap, 16);
  }
  return Out;
}

bool PhysicalMap::physical(uint64_t Address, uint64_t &Out) const {
  if (Address - DirectMap < MapBytes)
    Out = Address - DirectMap;
  else if (Address - Image < ImageBytes)
    Out = Address - Image;
  else
    return false;
  return true;
}

Result<ColourHeat> colourHeat(TraceReader &Trace, const HeatOptions &Options) {
  return HeatMaker(Trace, Options).run(Trace);
}

} // namespace kst
