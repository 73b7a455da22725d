// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/ColourHeat.h"

#include "hybrid/cache/CacheModel.h"
#include "hybrid/trace/ObjectTable.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace kst {
namespace {

constexpr size_t MostSets = 20, MostPairs = 20, StripCells = 64;
constexpr uint64_t MostWindowLines = 1 << 20;
constexpr uint64_t MapBytes = uint64_t(1) << 46, ImageBytes = 0x20000000;

/// Ranks from 1, ties in the middle.
std::vector<double> ranks(const std::vector<uint64_t> &Of) {
  std::vector<size_t> Line(Of.size());
  std::iota(Line.begin(), Line.end(), 0);
  std::stable_sort(Line.begin(), Line.end(),
                   [&](size_t A, size_t B) { return Of[A] < Of[B]; });
  std::vector<double> Out(Of.size());
  for (size_t I = 0; I < Line.size();) {
    size_t End = I;
    while (End < Line.size() && Of[Line[End]] == Of[Line[I]])
      ++End;
    for (size_t J = I; J < End; ++J)
      Out[Line[J]] = double(I + End + 1) / 2;
    I = End;
  }
  return Out;
}

double correlation(const std::vector<double> &A, const std::vector<double> &B) {
  const double N = double(A.size());
  if (A.size() < 2)
    return 0;
  const double MeanA = std::accumulate(A.begin(), A.end(), 0.0) / N,
               MeanB = std::accumulate(B.begin(), B.end(), 0.0) / N;
  double Both = 0, OfA = 0, OfB = 0;
  for (size_t I = 0; I < A.size(); ++I) {
    Both += (A[I] - MeanA) * (B[I] - MeanB);
    OfA += (A[I] - MeanA) * (A[I] - MeanA);
    OfB += (B[I] - MeanB) * (B[I] - MeanB);
  }
  return OfA > 0 && OfB > 0 ? Both / std::sqrt(OfA * OfB) : 0;
}

class HeatMaker {
public:
  HeatMaker(const TraceReader &Trace, const HeatOptions &Options)
      : Trace(Trace), Options(Options), Objects(Trace.tables()),
        Map(PhysicalMap::of(Trace.about())),
        Model(geometry(Options), modelOptions()) {
    Out.Cache = Options.Cache;
    Out.Sets =
        Options.Cache.Bytes / Options.Cache.Ways / Options.Cache.LineBytes;
    WindowLines = std::min(Options.WindowLines ? Options.WindowLines
                                               : Out.Sets * Options.Cache.Ways,
                           MostWindowLines);
    Excess.resize(Out.Sets);
    Heat.resize(Out.Sets);
    Conflicts.resize(Out.Sets);
    Used.resize(Out.Sets);
  }
  Result<ColourHeat> run(TraceReader &From);

private:
  static CacheGeometry geometry(const HeatOptions &Options) {
    CacheGeometry Out;
    Out.LineBytes = Options.Cache.LineBytes;
    Out[CacheLevel::Llc] = {Options.Cache.Bytes / Options.Cache.Ways /
                                Options.Cache.LineBytes,
                            Options.Cache.Ways};
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
  void endWindow();
  void finish();

  const TraceReader &Trace;
  const HeatOptions &Options;
  ObjectTable Objects;
  const PhysicalMap Map;
  CacheModel Model;
  ColourHeat Out;
  std::map<std::string, uint32_t> TypeOf;
  struct LineUse {
    uint64_t Set, Line;
    uint32_t Type;
    bool operator<(const LineUse &B) const {
      return std::tie(Set, Line, Type) < std::tie(B.Set, B.Line, B.Type);
    }
  };
  std::map<LineUse, uint64_t> Window; ///< accesses
  uint64_t WindowLines = 0, LinesInWindow = 0;
  std::vector<uint64_t> Excess, Heat, Conflicts; ///< by set
  std::vector<bool> Used;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Pairs;
  std::map<uint64_t, std::map<uint32_t, uint64_t>> TypesOfSet; ///< crowded
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
    const LineUse Key{Set, Line, Type};
    auto At = Window.lower_bound({Set, Line, 0});
    const bool New =
        At == Window.end() || At->first.Set != Set || At->first.Line != Line;
    if (New && LinesInWindow++ == WindowLines) {
      endWindow();
      LinesInWindow = 1;
    }
    ++Window[Key];
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

/// Sets in which more lines were used than they have ways.
void HeatMaker::endWindow() {
  LinesInWindow = 0;
  ++Out.Windows;
  for (auto At = Window.begin(); At != Window.end();) {
    const uint64_t Set = At->first.Set;
    auto End = At;
    std::vector<uint64_t> OfLine; // accesses
    uint64_t Latest = ~uint64_t(0);
    std::map<uint32_t, uint64_t> Accesses;
    std::map<uint32_t, std::vector<uint64_t>> OfLines;
    for (; End != Window.end() && End->first.Set == Set; ++End) {
      if (End->first.Line != Latest)
        OfLine.push_back(0);
      OfLine.back() += End->second;
      Latest = End->first.Line;
      Accesses[End->first.Type] += End->second;
      OfLines[End->first.Type].push_back(End->second);
    }
    if (const size_t Ways = Options.Cache.Ways; OfLine.size() > Ways) {
      Excess[Set] += OfLine.size() - Ways;
      std::sort(OfLine.rbegin(), OfLine.rend());
      Heat[Set] +=
          std::accumulate(OfLine.begin() + Ways, OfLine.end(), uint64_t(0));
      for (auto A = Accesses.begin(); A != Accesses.end(); ++A) {
        Out.Types[A->first].Crowded += A->second;
        TypesOfSet[Set][A->first] += A->second;
        for (auto B = std::next(A); B != Accesses.end(); ++B)
          Pairs[{A->first, B->first}] += std::min(A->second, B->second);
        auto &Own = OfLines[A->first];
        std::sort(Own.rbegin(), Own.rend());
        if (Own.size() > 1)
          Pairs[{A->first, A->first}] += Own[1];
      }
    }
    At = End;
  }
  Window.clear();
}

void HeatMaker::finish() {
  endWindow();
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
  Out.Rank = correlation(ranks(UsedHeat), ranks(UsedConflicts));
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
    for (auto [Type, Number] : TypesOfSet[Of.Set])
      Of.Types.push_back({NewOf[Type], Number});
    std::sort(Of.Types.begin(), Of.Types.end(), ByNumber);
    Out.Fullest.push_back(std::move(Of));
  }
  for (auto [Of, Number] : Pairs) {
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
