// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/GroupView.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/FieldView.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace kst {
namespace {

/// What Set has to say about the fields of a line; Saved is 0 for a set that
/// touches fewer than two of them.
GroupReason reasonOf(uint32_t Index, const CoAccessSet &Set,
                     const std::vector<bool> &OnLine) {
  GroupReason Reason;
  Reason.Set = Index;
  Reason.By.Where = Set.Where;
  double Sum = 0, NoneTouched = 1;
  std::vector<std::pair<double, uint32_t>> Touched;
  for (const FieldTouch &T : Set.Touches) {
    if (T.Field >= OnLine.size() || !OnLine[T.Field] || T.Probability <= 0)
      continue;
    Sum += T.Probability;
    NoneTouched *= 1 - std::min(1.0, T.Probability);
    Touched.emplace_back(-T.Probability, T.Field);
    Reason.By.Reads += T.Reads;
    Reason.By.Writes += T.Writes;
  }
  if (Touched.size() < 2)
    return Reason;
  std::ranges::sort(Touched);
  for (const auto &[MinusP, Field] : Touched)
    Reason.Fields.push_back(Field);
  Reason.Saved = Set.Weight * std::max(0.0, Sum - (1 - NoneTouched));
  return Reason;
}

/// Every place that uses Field, in the order of the sets.
std::vector<Accessor> accessorsOf(const AffinityEvidence &E, uint32_t Field) {
  std::vector<Accessor> Accessors;
  std::map<std::tuple<Site, bool, CpuRelation, bool>, size_t> Known;
  auto Add = [&](const CoAccessSet &Set, const AccessSite &At) {
    bool Rare = Set.When != Phase::Steady;
    auto [It, New] = Known.try_emplace({At.Where, At.Assumed, Set.Cpu, Rare},
                                       Accessors.size());
    if (New)
      Accessors.push_back({{At.Where, 0, 0, At.Assumed}, Set.Cpu, Rare, {}});
    Accessor &Who = Accessors[It->second];
    Who.At.Reads += Set.Weight * At.Reads;
    Who.At.Writes += Set.Weight * At.Writes;
    if (double Accesses = Set.Weight * (At.Reads + At.Writes);
        Accesses > Who.Most) {
      Who.Most = Accesses;
      Who.Visit = Set.Where;
    }
  };
  for (const CoAccessSet &Set : E.Sets) {
    if (!(Set.Shared > 0))
      continue; // meets nobody
    for (const FieldTouch &T : Set.Touches) {
      if (T.Field != Field)
        continue;
      for (AccessSite At : T.Sites) {
        if (At.Where.Function.empty())
          At.Where = Set.Where;
        Add(Set, At);
      }
      if (T.Sites.empty())
        Add(Set, {Set.Where, T.Reads, T.Writes});
    }
  }
  return Accessors;
}

/// Those of Accessors of which Amount is positive, rare ones last, most first.
template <typename Function>
std::vector<Accessor> strongest(std::vector<Accessor> Accessors,
                                Function Amount) {
  std::erase_if(Accessors, [&](auto &A) { return !(Amount(A.At) > 0); });
  std::ranges::stable_sort(Accessors, [&](auto &L, auto &R) {
    return std::pair(L.Rare, -Amount(L.At)) < std::pair(R.Rare, -Amount(R.At));
  });
  return Accessors;
}

/// First and last line per field; first > last for a field that is not there.
std::vector<std::pair<uint32_t, uint32_t>>
spans(size_t Fields, const LayoutView &View, uint32_t LineBytes) {
  std::vector<std::pair<uint32_t, uint32_t>> Spans(Fields, {1, 0});
  for (const FieldPlace &P : View.Places)
    Spans[P.Field] = {firstLine(P, LineBytes), lastLine(P, LineBytes)};
  return Spans;
}

} // namespace

std::vector<GroupView> groupsOf(const Report &R, const LayoutView &View) {
  std::vector<double> Heat = hotness(R.Evidence);
  std::vector<GroupView> Groups;
  for (const LineView &Line : View.Lines) {
    GroupView Group;
    Group.Line = Line.Index;
    Group.Share = Line.Share;
    std::vector<bool> OnLine(Heat.size(), false);
    for (uint32_t F : Line.Fields) {
      if (Heat[F] <= 0)
        continue;
      OnLine[F] = true;
      Group.Fields.push_back(F);
    }
    if (Group.Fields.empty())
      continue;
    std::ranges::stable_sort(Group.Fields, [&](uint32_t A, uint32_t B) {
      return Heat[A] > Heat[B];
    });
    for (uint32_t S = 0; S < R.Evidence.Sets.size(); ++S) {
      GroupReason Reason = reasonOf(S, R.Evidence.Sets[S], OnLine);
      Group.Saved += Reason.Saved;
      if (Reason.Saved > 0)
        Group.Reasons.push_back(std::move(Reason));
    }
    auto Rank = [&](const GroupReason &Reason) {
      bool Later = R.Evidence.Sets[Reason.Set].When != Phase::Steady;
      return std::pair(Later, -Reason.Saved);
    };
    std::ranges::stable_sort(
        Group.Reasons, [&](auto &L, auto &R) { return Rank(L) < Rank(R); });
    Groups.push_back(std::move(Group));
  }
  std::ranges::stable_sort(Groups,
                           [](auto &L, auto &R) { return L.Share > R.Share; });
  return Groups;
}

std::vector<const GroupReason *>
leadingReasons(const Report &R, const GroupView &Group, size_t Count) {
  std::vector<const GroupReason *> Leading;
  for (const GroupReason &Reason : Group.Reasons) {
    auto Same = [&](const GroupReason *Other) {
      return Other->By.Where == Reason.By.Where;
    };
    if (Leading.size() < Count && Reason.Saved >= 0.02 * Group.Saved &&
        R.Evidence.Sets[Reason.Set].When == Phase::Steady &&
        std::ranges::none_of(Leading, Same))
      Leading.push_back(&Reason);
  }
  return Leading;
}

std::string forWhom(const Accessor &Who) {
  const bool Helper = Who.At.Where.File.ends_with(".h") &&
                      Who.At.Where.Function != Who.Visit.Function;
  return Helper ? "for " + Who.Visit.Function + "()" : "";
}

std::vector<SharingRisk> sharingRisks(const Report &R,
                                      const LayoutView &Current,
                                      const LayoutView &Proposed) {
  size_t Fields = R.Evidence.Record.Fields.size();
  auto Now = spans(Fields, Current, R.CacheLineBytes);
  auto Then = spans(Fields, Proposed, R.CacheLineBytes);
  auto Meet = [](auto &A, auto &B) {
    return std::max(A.first, B.first) <= std::min(A.second, B.second);
  };
  std::vector<SharingRisk> Risks;
  for (const AffinityEdge &Edge : R.Edges) {
    if (Edge.Loss <= 0 || std::max(Edge.A, Edge.B) >= Now.size() ||
        !Meet(Now[Edge.A], Now[Edge.B]))
      continue;
    SharingRisk Risk;
    bool FirstWritten =
        useOf(R.Evidence, Edge.A).Writes >= useOf(R.Evidence, Edge.B).Writes;
    Risk.Written = FirstWritten ? Edge.A : Edge.B;
    Risk.Used = FirstWritten ? Edge.B : Edge.A;
    Risk.Line = std::max(Now[Edge.A].first, Now[Edge.B].first);
    Risk.Loss = Edge.Loss;
    Risk.StillTogether = Meet(Then[Edge.A], Then[Edge.B]);
    Risks.push_back(std::move(Risk));
  }
  std::ranges::stable_sort(Risks,
                           [](auto &L, auto &R) { return L.Loss > R.Loss; });
  for (size_t I = 0; I < Risks.size() && I < ExplainedRisks; ++I) {
    Risks[I].Writers =
        strongest(accessorsOf(R.Evidence, Risks[I].Written),
                  [](const AccessSite &At) { return At.Writes; });
    Risks[I].Users =
        strongest(accessorsOf(R.Evidence, Risks[I].Used),
                  [](const AccessSite &At) { return At.Reads + At.Writes; });
    Risks[I].Measured =
        measuredShare(R.Evidence, {Risks[I].Written, Risks[I].Used});
    if (Risks[I].Writers.empty())
      continue;
    // The conflict is with users on another CPU than the strongest writer's.
    CpuRelation Writer = Risks[I].Writers.front().Cpu;
    std::ranges::stable_partition(Risks[I].Users, [&](const Accessor &User) {
      return User.Cpu != Writer;
    });
  }
  return Risks;
}

} // namespace kst
