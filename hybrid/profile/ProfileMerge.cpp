// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileMerge.h"

#include "hybrid/profile/ProfileSum.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace kst {
namespace {

/// All values of a key, each once; "a, b" stands for two.
using Values = std::map<std::string, std::set<std::string>>;

void noteText(const Profile &P, Values &All) {
  for (const auto &[Key, Value] : P.Text) {
    std::set<std::string> &Of = All[Key];
    size_t At = 0;
    for (size_t Comma; (Comma = Value.find(", ", At)) != std::string::npos;
         At = Comma + 2)
      Of.insert(Value.substr(At, Comma - At));
    Of.insert(Value.substr(At));
  }
}

std::map<std::string, std::string> joined(const Values &All) {
  std::map<std::string, std::string> Text;
  for (const auto &[Key, Of] : All) {
    if (Key == "pid" && Of.size() > 1)
      continue;
    std::string Line;
    for (const std::string &Value : Of)
      if (!Value.empty())
        Line += (Line.empty() ? "" : ", ") + Value;
    Text[Key] = Line;
  }
  return Text;
}

} // namespace

Result<Profile> mergeProfiles(std::vector<NamedProfile> Inputs) {
  if (Inputs.empty())
    return Failure{"no profile to merge"};
  if (auto Differ = profilesDiffer(Inputs))
    return *Differ;
  Values All;
  for (const NamedProfile &P : Inputs)
    noteText(P.What, All);
  // Pairs, pairs of pairs, ...: every row is walked over a few times only.
  for (size_t Step = 1; Step < Inputs.size(); Step *= 2)
    for (size_t I = 0; I + Step < Inputs.size(); I += 2 * Step) {
      if (!addProfile(Inputs[I].What, Inputs[I + Step].What))
        return Failure{"the sum of a count in " + Inputs[I].Name + " and in " +
                       Inputs[I + Step].Name + " does not fit 64 bits"};
      Inputs[I + Step].What = Profile();
    }
  Inputs[0].What.Text = joined(All);
  return std::move(Inputs[0].What);
}

} // namespace kst
