// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Session.h"

#include "analyzer/compile/Provenance.h"
#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/layout/RuleIds.h"
#include "hybrid/pipeline/Preflight.h"
#include "hybrid/pipeline/Questions.h"

namespace kst {

/// Sets that together make less than this share of all visits are noise of
/// the frequency estimate; they cost time and change no decision.
static constexpr double NegligibleTail = 1e-4;

/// Drops the weakest sets (they are sorted, strongest first).
static void dropTail(std::vector<CoAccessSet> &Sets) {
  double Total = 0, Tail = 0;
  for (const CoAccessSet &Set : Sets)
    Total += Set.Weight;
  while (!Sets.empty() && Tail + Sets.back().Weight <= NegligibleTail * Total) {
    Tail += Sets.back().Weight;
    Sets.pop_back();
  }
}

/// What the text of the definition demands of the order, on top of what the
/// code demands. A header that cannot be read or understood fixes everything.
static std::vector<SourceRule> rulesOfHeader(const Configs &All,
                                             const RecordInfo &Record) {
  llvm::Expected<std::string> Text = readFile(All.headerOf(Record));
  if (!Text)
    return {{RuleKind::AllFixed, {}, llvm::toString(Text.takeError()), {}}};
  std::string Foreign = All.whyForeign(Record);
  if (Foreign.empty() && saysGenerated(*Text))
    Foreign = "a program generates its file, as the first lines say";
  std::vector<SourceRule> Rules = rulesOfText(std::move(*Text), Record);
  if (!Foreign.empty())
    Rules.push_back({RuleKind::AllFixed,
                     {},
                     "somebody else's: " + Foreign,
                     {"", Record.File, Record.Line},
                     ruleId(ForeignRule),
                     RuleStrength::Hard,
                     "it is not for this project to change"});
  return Rules;
}

llvm::Error checkLifted(const LayoutProblem &Problem) {
  for (const std::string &Id : Problem.options().Lift)
    if (std::string Why = liftProblem(Problem.rules().notes(), Id);
        !Why.empty())
      return usageError("--lift-rule: struct " + Problem.record().Name + ": " +
                        Why);
  return llvm::Error::success();
}

llvm::Expected<Session>
Session::open(AnalyzeRequest Asked, const std::vector<std::string> &UsedWith) {
  auto Checked = checkAgainstSources(std::move(Asked), UsedWith);
  if (!Checked)
    return Checked.takeError();
  auto All = Configs::collect(Checked->Asked, Checked->Lists);
  if (!All)
    return All.takeError();
  return Session{std::move(Checked->Asked), std::move(*All), Checked->Status};
}

llvm::Expected<Session::Prepared>
Session::prepare(const StructRequest &Struct) const {
  auto Found = All.evidence(Struct, Asked.Diags);
  if (!Found)
    return Found.takeError();
  Prepared Ready{std::move(*Found), Asked.Layout};
  for (AffinityEvidence &Config : Ready.Struct.Evidence.Configs)
    dropTail(Config.Sets);
  const RecordInfo &Joint = Ready.Struct.Evidence.Joint;
  auto Demands = demandsOf(Asked, Struct, Joint);
  if (!Demands)
    return Demands.takeError();
  Ready.Layout.Demands = std::move(*Demands);
  auto Arrivals = arrivalsOf(Asked, Struct, Joint);
  if (!Arrivals)
    return Arrivals.takeError();
  if (const Ownership &Users = Ready.Struct.Evidence.Configs.front().Users;
      Users.Exclusive && !Arrivals->empty())
    return usageError(
        "--contention: nobody waits where each object of struct " + Joint.Name +
        " has one user (" + Users.Source + ")");
  Ready.Layout.Arrivals = std::move(*Arrivals);
  Ready.Layout.Rules = rulesOfHeader(All, Joint);
  Ready.Layout.Lift = Struct.LiftRules;
  return Ready;
}

} // namespace kst
