// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/SourceUse.h"

#include <algorithm>
#include <map>

namespace kst {

SourceUse::SourceUse(const std::vector<CoAccessSet> &Sets,
                     const std::vector<uint32_t> &StandsFor) {
  for (const CoAccessSet &Set : Sets) {
    if (isOwned(Set.When))
      continue;
    Visit &New = Visits.emplace_back(Visit{&Set, {}});
    for (const FieldTouch &Touch : Set.Touches) {
      const uint32_t As = StandsFor[Touch.Field];
      auto At = std::find_if(New.Uses.begin(), New.Uses.end(),
                             [&](const Use &U) { return U.Field == As; });
      if (At == New.Uses.end())
        At = New.Uses.insert(At, {As, 0, {}});
      At->Probability += (1 - At->Probability) * Touch.Probability;
      At->Touches.push_back(&Touch);
    }
  }
}

const SourceUse::Use *SourceUse::Visit::find(uint32_t Field) const {
  for (const Use &U : Uses)
    if (U.Field == Field && U.Probability > 0)
      return &U;
  return nullptr;
}

bool SourceUse::uses(uint32_t Field) const {
  return std::any_of(Visits.begin(), Visits.end(),
                     [&](const Visit &V) { return V.find(Field); });
}

std::vector<SourceUse::User> SourceUse::users(uint32_t Field, bool Writers,
                                              size_t Most) const {
  struct Amount {
    double All = 0, OtherCpu = 0;
  };
  std::map<Site, Amount> Places;
  double All = 0;
  for (const Visit &V : Visits)
    if (const Use *Used = V.find(Field))
      for (const FieldTouch *Touch : Used->Touches)
        for (const AccessSite &At : Touch->Sites) {
          const double Own =
              V.Of->Weight * (At.Writes + (Writers ? 0 : At.Reads));
          if (!(Own > 0))
            continue;
          Amount &To = Places[At.Where];
          To.All += Own;
          To.OtherCpu += V.Of->Cpu == CpuRelation::Remote ? Own : 0;
          All += Own;
        }
  std::vector<User> Out;
  for (const auto &[Where, Of] : Places)
    Out.push_back({Where, Of.All / All, Of.OtherCpu * 2 > Of.All});
  std::stable_sort(Out.begin(), Out.end(), [](const User &A, const User &B) {
    return A.Share > B.Share;
  });
  Out.resize(std::min(Out.size(), Most));
  return Out;
}

std::optional<SourceUse::Together> SourceUse::together(uint32_t A, uint32_t B,
                                                       const Site *In) const {
  double All = 0, Joint = 0;
  std::map<Site, double> Owners;
  for (const Visit &V : Visits) {
    const Use *Used = V.find(A);
    if (!Used)
      continue;
    double Own = In ? 0 : Used->Probability;
    if (In)
      for (const FieldTouch *Touch : Used->Touches)
        for (const AccessSite &At : Touch->Sites)
          if (At.Where.Function == In->Function &&
              (In->File.empty() || At.Where.File == In->File))
            Own += At.Reads + At.Writes;
    Own *= V.Of->Weight;
    All += Own;
    const Use *Other = V.find(B);
    if (!Other || !(Own > 0))
      continue;
    Joint += Own * Other->Probability;
    Owners[V.Of->Where] += Own * Other->Probability;
  }
  if (!(All > 0))
    return std::nullopt;
  Together Out{Joint / All, {}};
  double Most = 0;
  for (const auto &[Where, Weight] : Owners)
    if (Weight > Most) {
      Most = Weight;
      Out.Where = Where;
    }
  return Out;
}

} // namespace kst
