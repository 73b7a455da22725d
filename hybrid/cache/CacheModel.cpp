// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/cache/CacheModel.h"

#include <cassert>
#include <numeric>

namespace kst {
namespace {

ServedBy server(CacheLevel Level) {
  static constexpr ServedBy Of[] = {ServedBy::L1, ServedBy::L2, ServedBy::Llc};
  return Of[size_t(Level)];
}

} // namespace

uint64_t CacheCounts::accesses() const {
  return std::accumulate(Served.begin(), Served.end(), uint64_t(0));
}

uint64_t CacheCounts::misses(CacheLevel Level) const {
  uint64_t Sum = 0;
  for (size_t By = size_t(server(Level)) + 1; By < Servers; ++By)
    Sum += Served[By];
  return Sum;
}

CacheCounts &CacheCounts::operator+=(const CacheCounts &Other) {
  for (size_t By = 0; By < Servers; ++By)
    Served[By] += Other.Served[By];
  Upgrades += Other.Upgrades;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    for (size_t Class = 0; Class < MissClasses; ++Class)
      Missed[Level][Class] += Other.Missed[Level][Class];
    AntiConflicts[Level] += Other.AntiConflicts[Level];
  }
  return *this;
}

CacheModel::CacheModel(const CacheGeometry &Geometry,
                       const CacheOptions &Options)
    : Geometry(Geometry), Options(Options),
      Nearest(Geometry[CacheLevel::L1].exists()   ? ServedBy::L1
              : Geometry[CacheLevel::L2].exists() ? ServedBy::L2
                                                  : ServedBy::Llc),
      LineShift(unsigned(std::countr_zero(Geometry.LineBytes))),
      Coherent(Options.Coherent && Options.Cpus > 1 &&
               (Geometry[CacheLevel::L1].exists() ||
                Geometry[CacheLevel::L2].exists())) {
  assert(Options.Cpus >= 1 && Options.Cpus <= MaxCacheCpus);
  assert(Options.Lines == Crossing::PerLine ||
         (!Coherent && Options.Classes == ClassRule::Off));
  for (CacheLevel Level : {CacheLevel::L1, CacheLevel::L2})
    if (Geometry[Level].exists())
      PrivateLevels.push_back(Level);
  if (Geometry[CacheLevel::Llc].exists())
    Shared.emplace_back(Geometry[CacheLevel::Llc]);
  Private.resize(Options.Cpus);
  for (CpuCaches &Own : Private) {
    for (CacheLevel Level : PrivateLevels)
      Own.Levels.emplace_back(Geometry[Level]);
    Own.Front = Own.Levels.empty() ? Shared.data() : Own.Levels.data();
  }
  for (size_t By = 0; By < Servers; ++By) {
    Plain[By].From = Plain[By + Servers].From = ServedBy(By);
    Plain[By + Servers].Upgrade = true;
  }
  if (Options.Classes != ClassRule::Off)
    Classes = std::make_unique<MissClassifier>(Geometry, Options.Cpus,
                                               Options.Classes);
}

CacheCounts CacheModel::total() const {
  CacheCounts Sum;
  for (const CpuCaches &Own : Private)
    for (const CacheCounts &Counts : Own.Counts)
      Sum += Counts;
  return Sum;
}

const AccessOutcome &CacheModel::accessSlowly(const MemoryReference &R) {
  const uint64_t First = R.Address >> LineShift;
  const uint64_t Last = std::max(First, lastLine(R)); // memory does not wrap
  if (First == Last)
    return accessOneLine(R, First);
  if (Options.Lines == Crossing::Together)
    return accessTogether(R, First, Last);
  AccessOutcome Farthest = accessOneLine(R, First);
  for (uint64_t Line = First; Line++ != Last;)
    if (AccessOutcome Out = accessOneLine(R, Line); Out.From > Farthest.From)
      Farthest = Out;
  return Latest = Farthest;
}

void CacheModel::accessAll(std::span<const MemoryReference> References) {
  const TagArray &Near = *Private[0].Front;
  while (!References.empty()) {
    size_t Done = 1;
    if (Classes || Coherent || PrivateLevels.empty() || !Near.hasMask())
      access(References[0]);
    else if (Near.ways() == 8)
      Done = countRun<8>(References);
    else if (Near.ways() == 12)
      Done = countRun<12>(References);
    else
      Done = countRun<0>(References);
    References = References.subspan(Done);
  }
}

/// access() of those before the first of another CPU; CPUs do not see each
/// other and have private levels: the same steps, as fast as they go. Returns
/// how many. `Ways`: of the nearest level, or 0.
template <unsigned Ways>
size_t CacheModel::countRun(std::span<const MemoryReference> References) {
  CpuCaches &Own = Private[References[0].Cpu];
  const TagSets Near = Own.Levels[0];
  const uint64_t InLine = Geometry.LineBytes - 1;
  const unsigned Shift = LineShift;
  // Counted in registers: one counter in memory for each kind has to wait for
  // itself.
  uint64_t Done = 0, Stores = 0, Modifies = 0;
  uint64_t Elsewhere[AccessKinds] = {};
  for (const MemoryReference &R : References) {
    if (R.Cpu != References[0].Cpu)
      break;
    ++Done;
    const uint64_t Line = R.Address >> Shift;
    Stores += R.Kind == AccessKind::Store;
    Modifies += R.Kind == AccessKind::Modify;
    if ((R.Address & InLine) + R.Bytes > InLine + 1) {
      ++Elsewhere[size_t(R.Kind)];
      accessSlowly(R);
    } else if (!Near.touchMasked<Ways>(Line)) {
      ++Elsewhere[size_t(R.Kind)];
      ServedBy From = ServedBy::L2;
      if (Own.Levels.size() == 1 || !Own.Levels[1].touch(Line).Hit)
        From = askOutside(R.Cpu, Line).From;
      ++Own.Counts[size_t(R.Kind)].Served[size_t(From)];
    }
  }
  const uint64_t All[] = {Done - Stores - Modifies, Stores, Modifies};
  for (size_t Kind = 0; Kind < AccessKinds; ++Kind)
    Own.Counts[Kind].Served[size_t(Nearest)] += All[Kind] - Elsewhere[Kind];
  return Done;
}

const AccessOutcome &CacheModel::accessPlain(const MemoryReference &R,
                                             uint64_t Line) {
  CpuCaches &Own = Private[R.Cpu];
  CacheCounts &Counts = Own.Counts[size_t(R.Kind)];
  ServedBy From = Nearest;
  bool Inside = false;
  for (TagArray &Level : Own.Levels) {
    const auto [Hit, Victim] = Level.touch(Line);
    if (Hit) {
      Inside = true;
      break;
    }
    From = ServedBy::L2;
    if (Coherent && Victim != NoLine)
      makeRoom(R.Cpu, Victim);
  }
  if (!Inside)
    From = askOutside(R.Cpu, Line).From;
  ++Counts.Served[size_t(From)];
  if (!Coherent)
    return Plain[size_t(From)];
  const bool Upgrade = acquire(R.Cpu, Line, R.Kind != AccessKind::Load, Inside);
  Counts.Upgrades += Upgrade;
  return Plain[size_t(From) + Upgrade * Servers];
}

const AccessOutcome &CacheModel::accessClassified(const MemoryReference &R,
                                                  uint64_t Line) {
  const uint64_t Begin = Line << LineShift;
  const uint64_t Behind = R.Address + std::max(R.Bytes, 1u) - Begin;
  MissClassifier::Asked What{
      R.Cpu,
      Line,
      {R.Address > Begin ? uint32_t(R.Address - Begin) : 0,
       uint32_t(std::min<uint64_t>(Behind, Geometry.LineBytes))},
      false,
      MissClass::None};
  AccessOutcome &Out = Latest = {};
  unsigned Depth = 0;
  while (Depth < PrivateLevels.size() && !visitPrivate(Depth, What, Out))
    ++Depth;
  const bool Inside = Depth < PrivateLevels.size();
  Out.From = Inside ? server(PrivateLevels[Depth]) : visitOutside(What, Out);
  if (Coherent)
    Out.Upgrade = acquire(R.Cpu, Line, R.Kind != AccessKind::Load, Inside);
  CacheCounts &Counts = Private[R.Cpu].Counts[size_t(R.Kind)];
  ++Counts.Served[size_t(Out.From)];
  Counts.Upgrades += Out.Upgrade;
  // What is here was touched, and is not lost: a load leaves no trace.
  const bool Silent = Depth == 0 && Inside && R.Kind == AccessKind::Load &&
                      !Out.AntiConflict && Options.Classes == ClassRule::AtMiss;
  if (!Silent)
    countClasses(What, R.Kind, Out);
  CpuCaches &Own = Private[R.Cpu];
  Own.Settled = !Silent && Classes->isSettled();
  Own.Repeatable =
      Options.Classes == ClassRule::AtMiss && !PrivateLevels.empty() ? Line
                                                                     : NoLine;
  return Out;
}

const AccessOutcome &CacheModel::accessTogether(const MemoryReference &R,
                                                uint64_t First, uint64_t Last) {
  auto HasAll = [&](TagArray &Level) {
    bool All = true;
    for (uint64_t Line = First; Line <= Last; ++Line)
      All &= Level.touch(Line).Hit;
    return All;
  };
  CpuCaches &Own = Private[R.Cpu];
  unsigned Depth = 0;
  while (Depth < PrivateLevels.size() && !HasAll(Own.Levels[Depth]))
    ++Depth;
  ServedBy From = ServedBy::Memory;
  if (Depth < PrivateLevels.size())
    From = server(PrivateLevels[Depth]);
  else if (!Shared.empty() && HasAll(Shared[0]))
    From = ServedBy::Llc;
  ++Own.Counts[size_t(R.Kind)].Served[size_t(From)];
  return Plain[size_t(From)];
}

/// Is the line in this level of the CPU? It is from now on.
bool CacheModel::visitPrivate(unsigned Depth, MissClassifier::Asked &What,
                              AccessOutcome &Out) {
  const auto [Hit, Victim] = Private[What.Cpu].Levels[Depth].touch(What.Line);
  if (Coherent && Victim != NoLine)
    makeRoom(What.Cpu, Victim);
  const CacheLevel Level = PrivateLevels[Depth];
  What.DirtyElsewhere = !Hit && isDirtyElsewhere(What.Cpu, What.Line);
  const MissClassifier::Visit Visit = Classes->visit(Level, What, Hit);
  What.Above = Out.Class[size_t(Level)] = Visit.Class;
  Out.AntiConflict |= Visit.AntiConflict << unsigned(Level);
  return Hit;
}

/// Who serves what no private level of the CPU has?
CacheModel::Outside CacheModel::askOutside(unsigned Cpu, uint64_t Line) {
  const bool InShared = !Shared.empty() && Shared[0].touch(Line).Hit;
  if (isDirtyElsewhere(Cpu, Line))
    return {ServedBy::Remote, InShared};
  return {InShared ? ServedBy::Llc : ServedBy::Memory, InShared};
}

ServedBy CacheModel::visitOutside(MissClassifier::Asked &What,
                                  AccessOutcome &Out) {
  const auto [From, InShared] = askOutside(What.Cpu, What.Line);
  if (Shared.empty())
    return From;
  const MissClassifier::Visit Visit =
      Classes->visit(CacheLevel::Llc, What, InShared);
  if (From != ServedBy::Remote)
    Out.Class[size_t(CacheLevel::Llc)] = Visit.Class;
  Out.AntiConflict |= Visit.AntiConflict << unsigned(CacheLevel::Llc);
  return From;
}

/// The CPU, which has the line in its nearest level, gets the right to do what
/// it does. `Inside`: it had the line before. Returns whether it was an
/// upgrade.
bool CacheModel::acquire(unsigned Cpu, uint64_t Line, bool Stores,
                         bool Inside) {
  if (!Stores) {
    if (Inside)
      return false;
    if (CpuSet Writer = Lines.load(Line, Cpu))
      Private[unsigned(std::countr_zero(Writer))].Front->mark(Line, false);
    return false;
  }
  TagArray &Nearest = *Private[Cpu].Front;
  if (Nearest.isFirst(Line, true))
    return false;
  const Directory::Store Result = Lines.store(Line, Cpu);
  for (CpuSet Losers = Result.Losers; Losers; Losers &= Losers - 1) {
    const unsigned Loser = unsigned(std::countr_zero(Losers));
    for (TagArray &Level : Private[Loser].Levels)
      Level.remove(Line);
    if (Classes)
      Classes->taken(Loser, Line);
  }
  Nearest.mark(Line, true);
  return Result.Upgrade;
}

/// A level of the CPU has replaced the line.
void CacheModel::makeRoom(unsigned Cpu, uint64_t Victim) {
  for (const TagArray &Level : Private[Cpu].Levels)
    if (Level.contains(Victim))
      return;
  Lines.drop(Victim, Cpu);
  if (Classes)
    Classes->replaced(Cpu, Victim);
}

void CacheModel::countClasses(const MissClassifier::Asked &What,
                              AccessKind Kind, AccessOutcome &Out) {
  auto &OfCpu = Private[What.Cpu].Counts;
  CacheCounts &Counts = OfCpu[size_t(Kind)];
  uint8_t FalseAt = 0;
  for (size_t Level = 0; Level < CacheLevels; ++Level) {
    const MissClass Class = Out.Class[Level];
    if (Class != MissClass::None)
      ++Counts.Missed[Level][size_t(Class)];
    FalseAt |= uint8_t((Class == MissClass::FalseSharing) << Level);
    Counts.AntiConflicts[Level] += Out.AntiConflict >> Level & 1;
  }
  const MissClassifier::Turned Turned =
      Classes->done(What, Kind != AccessKind::Load, FalseAt, uint8_t(Kind));
  Out.TurnedTrue = Turned.Levels;
  for (size_t Level = 0; Level < CacheLevels; ++Level)
    if (Turned.Levels >> Level & 1) {
      auto &Missed = OfCpu[Turned.Tag].Missed[Level];
      --Missed[size_t(MissClass::FalseSharing)];
      ++Missed[size_t(MissClass::TrueSharing)];
    }
}

} // namespace kst
