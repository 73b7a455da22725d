// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Remedies.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t MostTried = 16, MostAligned = 3, MostLocks = 2;
/// What a field adds to what a group saves without it: a judgement.
constexpr double LeastAdded = 0.1;

using FieldList = std::vector<uint32_t>;

class Aligner {
public:
  Aligner(const LayoutProblem &Problem, std::span<const uint32_t> Order)
      : Problem(Problem), Options(Problem.options()) {
    Options.InstanceAlignBytes = Options.LineBytes;
    for (size_t M = 0; M < Problem.modelCount(); ++M) {
      Plans.push_back(Problem.space().configs()[M].Offsets.layout(Order));
      OnLines.push_back(priced(M, NoLock, Options));
    }
  }

  /// The plan with the fields on a line of their own.
  Layout apart(size_t M, const FieldList &Fields) const {
    Layout Plan = Plans[M];
    const uint64_t Line = Options.LineBytes;
    if (Fields.empty()) {
      Plan.SizeBytes = roundUp(Plan.SizeBytes, Line);
      return Plan;
    }
    uint64_t End = roundUp(Plan.SizeBytes, Line);
    for (uint32_t F : Fields) {
      End = roundUp(End, std::max(record(M).Fields[F].AlignBytes, 1u));
      Plan.OffsetBits[F] = 8 * End;
      End += bytesOf(M, F);
    }
    Plan.SizeBytes = roundUp(End, Line);
    return Plan;
  }

  bool fitALine(const FieldList &Fields) const {
    uint64_t End = 0;
    for (uint32_t F : Fields)
      End = roundUp(End, std::max(record(0).Fields[F].AlignBytes, 1u)) +
            bytesOf(0, F);
    return End <= Options.LineBytes;
  }

  /// What that saves, over all models.
  double saves(const FieldList &Fields) const {
    double Sum = 0;
    for (size_t M = 0; M < Plans.size(); ++M)
      if (isThere(M, Fields))
        Sum += Problem.share(M) * (Problem.model(M).price(Plans[M]).total() -
                                   OnLines[M].price(apart(M, Fields)).total());
    return Sum;
  }

  /// Of a lock, if CPUs arrive while it is held.
  double savesIfContended(uint32_t Lock) const {
    double Sum = 0;
    for (size_t M = 0; M < Plans.size(); ++M)
      if (isThere(M, {Lock}))
        Sum += Problem.share(M) *
               (priced(M, Lock, Problem.options()).price(Plans[M]).total() -
                priced(M, Lock, Options).price(apart(M, {Lock})).total());
    return Sum;
  }

  double now() const {
    double Sum = 0;
    for (size_t M = 0; M < Plans.size(); ++M)
      Sum += Problem.share(M) * Problem.model(M).price(Plans[M]).total();
    return Sum;
  }

  const Layout &plan() const { return Plans.front(); }

private:
  const RecordInfo &record(size_t M) const {
    return Problem.record(Problem.configOf(M));
  }
  uint64_t bytesOf(size_t M, uint32_t F) const {
    return (record(M).Fields[F].SizeBits + 7) / 8;
  }
  static uint64_t roundUp(uint64_t Bytes, uint64_t To) {
    return (Bytes + To - 1) / To * To;
  }
  bool isThere(size_t M, const FieldList &Fields) const {
    return std::ranges::none_of(
        Fields, [&](uint32_t F) { return record(M).Fields[F].Absent; });
  }
  static constexpr uint32_t NoLock = ~0u;
  LayoutCost priced(size_t M, uint32_t Lock, const CostOptions &How) const {
    const auto &Sets = Problem.evidence().Configs[Problem.configOf(M)].Sets;
    SharingOptions Who = Problem.sharing(M, Sets);
    if (Lock != NoLock) // unless --contention says
      Who.Arrivals.try_emplace(Lock, ContendedArrivals);
    return Problem.priced(M, Sets, How, Who);
  }

  const LayoutProblem &Problem;
  LayoutOptions Options; ///< of objects that begin on a line
  std::vector<Layout> Plans;
  std::vector<LayoutCost> OnLines; ///< with these options
};

/// Whether the field could get the attribute: what no order may move, nobody
/// may move by other means either.
bool mayBeAligned(const LayoutProblem &Problem, uint32_t F) {
  const FieldInfo &Field = Problem.record(0).Fields[F];
  const MoveUnit &Of = Problem.rules().bricks()[Problem.rules().moveUnitOf(F)];
  return Of.Movable && Of.Fields.size() == 1 && Field.SizeBits &&
         !Field.BitField && !Field.Absent && Field.Group == NoGroup &&
         Field.ExplicitAlignBytes < Problem.options().LineBytes;
}

/// Those that conflict most with what is on their lines, and those locks that
/// others are used with.
FieldList candidates(const LayoutProblem &Problem, const Layout &Plan) {
  const RecordInfo &Record = Problem.record(0);
  const AffinityEvidence &Of = Problem.evidence().Configs.front();
  const uint64_t LineBits = 8ull * Problem.options().LineBytes;
  auto Line = [&](uint32_t F) { return Plan.OffsetBits[F] / LineBits; };
  std::vector<std::pair<double, uint32_t>> Found;
  for (uint32_t F = 0; F < Record.Fields.size(); ++F) {
    if (!mayBeAligned(Problem, F))
      continue;
    double Lost = 0;
    for (const Conflicts::Neighbour &With : Problem.conflicts().of(F))
      if (Line(With.Field) == Line(F))
        Lost += With.Weight;
    if (F < Of.Fields.size() && Of.Fields[F].Lock > 0)
      Lost += Of.Fields[F].Lock;
    if (Lost > 0)
      Found.emplace_back(-Lost, F);
  }
  std::ranges::sort(Found);
  FieldList Fields;
  for (size_t I = 0; I < Found.size() && I < MostTried; ++I)
    Fields.push_back(Found[I].second);
  return Fields;
}

/// From a field, those of its line that save more on a line with it.
Remedy grown(const Aligner &Try, Remedy From, const FieldList &Others,
             uint64_t LineBits) {
  auto Line = [&](uint32_t F) { return Try.plan().OffsetBits[F] / LineBits; };
  for (;;) {
    Remedy Best = From;
    for (uint32_t F : Others) {
      FieldList More = From.Fields;
      More.push_back(F);
      if (std::ranges::count(More, F) > 1 ||
          Line(F) != Line(From.Fields.front()) || !Try.fitALine(More))
        continue;
      if (const double Saves = Try.saves(More); Saves > Best.Saves)
        Best = {More, Saves};
    }
    if (Best.Saves <= From.Saves + LeastAdded * std::max(From.Saves, 0.0))
      return From;
    From = std::move(Best);
  }
}

} // namespace

std::vector<Remedy> remedies(const LayoutProblem &Problem,
                             std::span<const uint32_t> Order) {
  const RecordInfo &Record = Problem.record(0);
  if (Record.Union || !(Problem.model().visits() > 0))
    return {};
  const AffinityEvidence &Of = Problem.evidence().Configs.front();
  // Nothing lies behind a flexible array; with one user nothing is lost.
  if (Record.Packed || Of.Users.Exclusive ||
      std::ranges::any_of(Record.Fields, &FieldInfo::FlexibleArray))
    return {};
  const Aligner Try(Problem, Order);
  const double Least = Problem.options().KeepBelow * Try.now();
  std::vector<Remedy> Aligned, Locks;
  auto Bytes = [&](const FieldList &Fields) {
    return Try.apart(0, Fields).SizeBytes - Try.plan().SizeBytes;
  };
  auto AtLeast = [&](double Saves, double Of) {
    return Saves > 0 && Saves >= Of + LeastAdded * std::max(Of, 0.0);
  };
  const Remedy Object{{}, Try.saves({}), Bytes({})};
  const FieldList Tried = candidates(Problem, Try.plan());
  std::vector<Remedy> Alone;
  for (uint32_t F : Tried) {
    Remedy New{{F}, Try.saves({F}), Bytes({F})};
    New.Lock = F < Of.Fields.size() && Of.Fields[F].Lock > 0;
    if (New.Lock)
      New.IfContended = Try.savesIfContended(F);
    Alone.push_back(New);
    if (New.Saves >= Least && AtLeast(New.Saves, Object.Saves))
      Aligned.push_back(New);
    else if (New.Lock && New.IfContended >= Least &&
             AtLeast(New.IfContended, Object.Saves))
      Locks.push_back(New);
  }
  auto Keep = [](std::vector<Remedy> &List, size_t Most, auto Of) {
    std::ranges::stable_sort(
        List, [&](const Remedy &A, const Remedy &B) { return Of(A) > Of(B); });
    List.resize(std::min(List.size(), Most));
  };
  const auto Saving = [](const Remedy &R) { return R.Saves; };
  Keep(Aligned, MostAligned, Saving);
  Keep(Locks, MostLocks, [](const Remedy &R) { return R.IfContended; });
  Remedy Group = Object;
  for (const Remedy &From : Alone)
    if (Remedy New =
            grown(Try, From, Tried, 8ull * Problem.options().LineBytes);
        New.Fields.size() > 1 && New.Saves >= Least &&
        AtLeast(New.Saves, Object.Saves) && New.Saves > Group.Saves)
      Group = std::move(New);
  if (!Group.Fields.empty()) {
    Group.Bytes = Bytes(Group.Fields);
    Aligned.insert(Aligned.begin(), std::move(Group));
  }
  if (Object.Saves > 0 && Object.Saves >= Least)
    Aligned.push_back(Object);
  Aligned.insert(Aligned.end(), Locks.begin(), Locks.end());
  return Aligned;
}

} // namespace kst
