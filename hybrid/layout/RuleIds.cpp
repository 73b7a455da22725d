// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/RuleIds.h"

#include "hybrid/core/EditDistance.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace kst {

void nameApart(std::vector<SourceRule> &Rules) {
  using Reason = std::tuple<std::string, uint32_t, std::string, std::string>;
  auto reasonOf = [](const SourceRule &Rule) {
    return Reason{Rule.Where.File, Rule.Where.Line, Rule.Where.Function,
                  Rule.Why};
  };
  std::map<std::string, std::set<Reason>> ById;
  for (const SourceRule &Rule : Rules)
    ById[Rule.Id].insert(reasonOf(Rule));
  for (SourceRule &Rule : Rules) {
    const std::set<Reason> &Alike = ById[Rule.Id];
    auto Rank = std::distance(Alike.begin(), Alike.find(reasonOf(Rule)));
    if (Rank && !Rule.Id.empty())
      Rule.Id.append(".").append(std::to_string(Rank + 1));
  }
}

std::vector<SourceRule> takeLifted(std::vector<SourceRule> &Rules,
                                   const std::vector<std::string> &Ids) {
  auto Stays = [&](const SourceRule &Rule) {
    return !Rule.Unliftable.empty() ||
           std::ranges::find(Ids, Rule.Id) == Ids.end();
  };
  auto Lifted = std::stable_partition(Rules.begin(), Rules.end(), Stays);
  std::vector<SourceRule> Taken(std::make_move_iterator(Lifted),
                                std::make_move_iterator(Rules.end()));
  Rules.erase(Lifted, Rules.end());
  return Taken;
}

std::string liftProblem(const std::vector<ConstraintNote> &Notes,
                        const std::string &Id) {
  const std::string Rule = "rule '" + Id + "'";
  const ConstraintNote *Nearest = nullptr;
  unsigned Least = std::max<unsigned>(2, static_cast<unsigned>(Id.size()) / 3);
  for (const ConstraintNote &Note : Notes) {
    if (Note.Id == Id)
      return Note.Unliftable.empty() ? ""
                                     : Rule + " cannot be lifted (" + Note.Why +
                                           "): " + Note.Unliftable;
    if (!Note.Unliftable.empty())
      continue;
    unsigned Distance = editDistance(Note.Id, Id, Least);
    // A field's or a topic's name alone is near enough.
    if (size_t Colon = Note.Id.find(':'); Colon != std::string::npos)
      for (const std::string &Part :
           {Note.Id.substr(0, Colon), Note.Id.substr(Colon + 1)})
        Distance = std::min(Distance, editDistance(Part, Id, Least) + 1);
    if (Distance < Least || (Distance == Least && !Nearest)) {
      Nearest = &Note;
      Least = Distance;
    }
  }
  return "there is no " + Rule +
         (Nearest ? "; did you mean '" + Nearest->Id + "'?"
                  : "; the table 'held in place' of --full shows the ids");
}

} // namespace kst
