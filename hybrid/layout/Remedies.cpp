// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/Remedies.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t MostTried = 16, MostAligned = 3, MostLocks = 2;

class Aligner {
public:
  Aligner(const LayoutProblem &Problem, std::span<const uint32_t> Order)
      : Problem(Problem), Options(Problem.options()) {
    Options.InstanceAlignBytes = Options.LineBytes;
    for (size_t M = 0; M < Problem.modelCount(); ++M)
      Plans.push_back(Problem.space().configs()[M].Offsets.layout(Order));
  }

  /// The plan with the field on a line of its own.
  Layout apart(size_t M, uint32_t Field) const {
    Layout Plan = Plans[M];
    const uint64_t Line = Options.LineBytes;
    auto Up = [&](uint64_t Bytes) { return (Bytes + Line - 1) / Line * Line; };
    const uint64_t At = Up(Plan.SizeBytes);
    Plan.OffsetBits[Field] = 8 * At;
    Plan.SizeBytes = At + Up((record(M).Fields[Field].SizeBits + 7) / 8);
    return Plan;
  }

  /// What that saves, over all models. Arrivals: of CPUs while Field is held.
  double saves(uint32_t Field, double Arrivals) const {
    double Sum = 0;
    for (size_t M = 0; M < Plans.size(); ++M) {
      if (record(M).Fields[Field].Absent)
        continue;
      const double Now =
          priced(M, Field, Arrivals, Problem.options()).price(Plans[M]).total();
      const double Then =
          priced(M, Field, Arrivals, Options).price(apart(M, Field)).total();
      Sum += Problem.share(M) * (Now - Then);
    }
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
  LayoutCost priced(size_t M, uint32_t Field, double Arrivals,
                    const CostOptions &How) const {
    const auto &Sets = Problem.evidence().Configs[Problem.configOf(M)].Sets;
    SharingOptions Who = Problem.sharing(M, Sets);
    if (Arrivals > 0)
      Who.Arrivals.try_emplace(Field, Arrivals); // unless --contention says
    return Problem.priced(M, Sets, How, Who);
  }

  const LayoutProblem &Problem;
  LayoutOptions Options; ///< of objects that begin on a line
  std::vector<Layout> Plans;
};

/// Whether the field could get the attribute: what no order may move, nobody
/// may move by other means either.
bool mayBeAligned(const LayoutProblem &Problem, uint32_t F) {
  const FieldInfo &Field = Problem.record(0).Fields[F];
  const Brick &Of = Problem.rules().bricks()[Problem.rules().brickOf(F)];
  return Of.Movable && Of.Fields.size() == 1 && Field.SizeBits &&
         !Field.BitField && !Field.Absent && Field.Group == NoGroup &&
         Field.ExplicitAlignBytes < Problem.options().LineBytes;
}

/// Those that conflict most with what is on their lines, and those locks that
/// others are used with.
std::vector<uint32_t> candidates(const LayoutProblem &Problem,
                                 const Layout &Plan) {
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
  std::vector<uint32_t> Fields;
  for (size_t I = 0; I < Found.size() && I < MostTried; ++I)
    Fields.push_back(Found[I].second);
  return Fields;
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
  for (uint32_t F : candidates(Problem, Try.plan())) {
    Remedy New{F, Try.saves(F, 0),
               Try.apart(0, F).SizeBytes - Try.plan().SizeBytes};
    New.Lock = F < Of.Fields.size() && Of.Fields[F].Lock > 0;
    if (New.Lock)
      New.IfContended = Try.saves(F, ContendedArrivals);
    if (New.Saves > 0 && New.Saves >= Least)
      Aligned.push_back(New);
    else if (New.Lock && New.IfContended > 0 && New.IfContended >= Least)
      Locks.push_back(New);
  }
  auto Keep = [](std::vector<Remedy> &List, size_t Most, auto Of) {
    std::ranges::stable_sort(
        List, [&](const Remedy &A, const Remedy &B) { return Of(A) > Of(B); });
    List.resize(std::min(List.size(), Most));
  };
  Keep(Aligned, MostAligned, [](const Remedy &R) { return R.Saves; });
  Keep(Locks, MostLocks, [](const Remedy &R) { return R.IfContended; });
  Aligned.insert(Aligned.end(), Locks.begin(), Locks.end());
  return Aligned;
}

} // namespace kst
