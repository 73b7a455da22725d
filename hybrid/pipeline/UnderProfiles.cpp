// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/UnderProfiles.h"

#include "hybrid/layout/Scores.h"

#include <map>

namespace kst {

/// Of the lines of the proposed order: how often visits touch two fields.
static std::vector<ProfileAdvice::Group>
groupsUnder(const AffinityEvidence &Alone, const Report &Proposed) {
  const Layout &Plan = Proposed.Layouts.Proposed.Plan;
  std::map<uint64_t, double> Together;
  double Visits = 0;
  for (const CoAccessSet &Set : Alone.Sets) {
    Visits += Set.Weight;
    // Chance of none and of just one, line by line.
    std::map<uint64_t, std::pair<double, double>> Lines;
    for (const FieldTouch &T : Set.Touches) {
      auto [It, New] = Lines.try_emplace(
          Plan.OffsetBits[T.Field] / 8 / Proposed.CacheLineBytes, 1, 0);
      auto &[Zero, One] = It->second;
      One = One * (1 - T.Probability) + Zero * T.Probability;
      Zero *= 1 - T.Probability;
    }
    for (const auto &[Line, Chance] : Lines)
      Together[Line] +=
          Set.Weight * std::max(0.0, 1 - Chance.first - Chance.second);
  }
  std::vector<ProfileAdvice::Group> Groups;
  for (const auto &[Line, Often] : Together)
    if (Visits > 0)
      Groups.push_back({static_cast<uint32_t>(Line), Often / Visits});
  return Groups;
}

std::vector<ProfileAdvice> underProfiles(const Configs &All,
                                         const StructRequest &Struct,
                                         const LayoutProblem &Problem,
                                         const Report &Proposed) {
  std::vector<ProfileAdvice> Answers;
  if (All.profileCount() < 2 || Proposed.Layouts.What != Verdict::Reorder)
    return Answers;
  for (size_t P = 0; P != All.profileCount(); ++P) {
    auto Alone = All.evidenceUnder(P, Struct);
    if (!Alone) {
      llvm::consumeError(Alone.takeError()); // it says nothing of this struct
      continue;
    }
    LayoutProblem Asked(Alone->Evidence, Problem.options());
    ProfileAdvice Answer;
    Answer.Name = Proposed.Evidence.Covered.Profiles[P].Name;
    Answer.Now = objective(Asked, statedLayout(Asked.record()).Order);
    Answer.New = objective(Asked, Proposed.Layouts.Proposed.Plan.Order);
    Answer.Holds = Answer.gain() >= Problem.options().KeepBelow;
    Answer.Groups = groupsUnder(Alone->Evidence.Configs.front(), Proposed);
    Answers.push_back(std::move(Answer));
  }
  return Answers;
}

} // namespace kst
