// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/CheckBaseline.h"

#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/findings/MergeFindings.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/pipeline/LineSize.h"
#include "hybrid/pipeline/Session.h"
#include "hybrid/pipeline/SuppressionsFile.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/review/BaselineCheck.h"
#include "hybrid/review/FieldPairs.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kst {

namespace {

LayoutOptions optionsFor(const BaselineRequest &Asked, const Config &In) {
  LayoutOptions Options = Asked.Layout;
  if (!Asked.LineGiven)
    Options.LineBytes = lineBytesOf(In);
  return Options;
}

class BaselineChecker {
public:
  BaselineChecker(const BaselineRequest &Asked, const LayoutBaseline &Was)
      : Asked(Asked), Was(Was) {}
  llvm::Expected<BaselineAnswer> run();

private:
  std::vector<const BaselineStruct *> basesOf(const std::string &Name,
                                              const Config &In);
  void compare(const BaselineStruct &Base, const Config &In, bool Alone);
  void check(const BaselineStruct &Base, const Config &In,
             const std::string &Name);

  const BaselineRequest &Asked;
  const LayoutBaseline &Was;
  std::optional<Session> From;
  BaselineAnswer Answer;
};

/// Those of the name that are wanted: by the name of the configuration; where
/// both have but one, of this one. None: with a note.
std::vector<const BaselineStruct *>
BaselineChecker::basesOf(const std::string &Name, const Config &In) {
  std::vector<const BaselineStruct *> Found, Others;
  std::set<std::string> Configs;
  for (const BaselineStruct &S : Was.Structs) {
    if (S.Record.Name != Name || !asksFor(Asked.Structs, S.Record))
      continue;
    const bool Same = S.Config == In.Name && S.Triple == In.Triple;
    (Same ? Found : Others).push_back(&S);
    Configs.insert(S.Config);
  }
  if (!Found.empty())
    return Found;
  if (Configs.size() == 1 && From->All.each().size() == 1 &&
      Others.front()->Triple == In.Triple) {
    const std::string Said =
        In.Name + ": compared with configuration '" + *Configs.begin() + "'";
    if (!llvm::is_contained(Answer.Report.Notes, Said))
      Answer.Report.Notes.push_back(Said);
    return Others;
  }
  Answer.Report.Notes.push_back(
      In.Name + ": the baseline has no layout of struct " + Name + " for " +
      In.Triple + " in a configuration of this name");
  return {};
}

/// Alone: no other struct of the baseline has its name here.
void BaselineChecker::compare(const BaselineStruct &Base, const Config &In,
                              bool Alone) {
  // A struct may move to another header; of several the file tells one.
  std::string Name = Base.Record.Name;
  if (!Alone || In.Whole->recordsNamed(Name).size() > 1)
    Name = RecordSpelling{Name, Base.Record.File, 0}.text();
  ReviewReport &Report = Answer.Report;
  if (!In.Whole->recordsNamed(Name).empty())
    return check(Base, In, Name);
  ++Report.Compared;
  Finding &Gone = Report.Findings.emplace_back();
  Gone.Kind = FindingKind::Gone;
  Gone.How = Grade::Medium;
  Gone.Struct = Name;
  Gone.Config = {In.Name};
  Gone.File = Base.Record.File;
  Gone.Said = "none of the units that were looked at defines it";
}

void BaselineChecker::check(const BaselineStruct &Base, const Config &In,
                            const std::string &Name) {
  StructRequest Request;
  Request.Name = Name;
  auto Evidence = From->All.evidenceOf(In, Request);
  if (!Evidence) {
    Answer.Report.Notes.push_back(In.Name + ": " + Evidence.error());
    Answer.Status = worse(Answer.Status, ExitPartial);
    return;
  }
  ++Answer.Report.Compared;
  StructVersions Versions;
  Versions.Config = In.Name;
  Versions.Triple = In.Triple;
  Versions.Base = &Base.Record;
  Versions.Head = &*Evidence;
  Versions.Layout = optionsFor(Asked, In);
  for (double Total : In.Often->Often.Total)
    Versions.Calls += Total;
  Versions.Layout.Rules = rulesOfText(
      textIfThere(From->All.headerOf(Evidence->Record)).value_or(""),
      Evidence->Record);
  if (Base.LineBytes != Versions.Layout.LineBytes)
    Answer.Report.Notes.push_back(
        In.Name + ": struct " + Base.Record.Name + ": lines have " +
        std::to_string(Versions.Layout.LineBytes) + " bytes, in the baseline " +
        std::to_string(Base.LineBytes) +
        "; both layouts are judged with today's");
  ReviewedStruct Reviewed = reviewStruct(Versions, Asked.Review);
  addBaselineFindings(Versions, Asked.Review, Reviewed);
  for (Finding &One : Reviewed.Findings)
    One.Struct = Name;
  llvm::append_range(Answer.Report.Findings, std::move(Reviewed.Findings));
  if (!sameLayout(Base.Record, Evidence->Record))
    Answer.Report.Structs.push_back(std::move(Reviewed.Change));
}

llvm::Expected<BaselineAnswer> BaselineChecker::run() {
  auto Silent = readSuppressions(Asked.Suppressions);
  if (!Silent)
    return Silent.takeError();
  std::set<std::string> Names;
  for (const BaselineStruct &S : Was.Structs)
    if (asksFor(Asked.Structs, S.Record))
      Names.insert(S.Record.Name);
  for (const StructRequest &Struct : Asked.Structs)
    if (llvm::none_of(Was.Structs, [&](const BaselineStruct &S) {
          return asksFor({Struct}, S.Record);
        }))
      return usageError("--struct " + Struct.Name +
                        ": the baseline has no such struct");
  AnalyzeRequest Request = Asked;
  // All units of the paths: a struct may be gone.
  Request.Structs.clear();
  Request.Units.StructNames.clear();
  Request.Units.SomePaths = true;
  auto Opened = Session::open(std::move(Request));
  if (!Opened)
    return Opened.takeError();
  From.emplace(std::move(*Opened));
  Answer.Status = From->Status;
  ReviewReport &Report = Answer.Report;
  Report.Tool = thisTool();
  Report.Baseline = Report.Base = Asked.File;
  Report.Head = "the tree";
  bool Any = false;
  for (const auto &In : From->All.each()) {
    Report.Configs.push_back(In->Name);
    Report.UnitsLooked += In->Session.Covered.UnitsParsed;
    for (const std::string &Name : Names) {
      const auto Bases = basesOf(Name, *In);
      Any |= !Bases.empty();
      for (const BaselineStruct *Base : Bases)
        compare(*Base, *In, Bases.size() == 1);
    }
  }
  if (!Any)
    return usageError("--baseline " + Asked.File +
                      ": nothing in it is about these configurations");
  mergeFindings(Report);
  if (llvm::Error E = suppress(*Silent, Report))
    return E;
  return std::move(Answer);
}

} // namespace

llvm::Expected<BaselineAnswer> checkBaseline(const BaselineRequest &Asked) {
  auto Text = readFile(Asked.File);
  if (!Text)
    return usageError("--baseline " + llvm::toString(Text.takeError()));
  auto Was = orMistake(readBaseline(*Text), "--baseline " + Asked.File + ": ");
  if (!Was)
    return Was.takeError();
  return BaselineChecker(Asked, *Was).run();
}

llvm::Expected<LayoutBaseline> makeBaseline(const BaselineRequest &Asked,
                                            ExitCode &Status) {
  auto From = Session::open(Asked);
  if (!From)
    return From.takeError();
  Status = From->Status;
  LayoutBaseline Made;
  Made.Tool = thisTool();
  for (const StructRequest &Struct : From->Asked.Structs)
    for (const auto &In : From->All.each()) {
      auto Evidence = From->All.evidenceOf(*In, Struct);
      if (!Evidence) {
        Asked.Diags.warn(In->Name + ": " + Evidence.error());
        Status = worse(Status, ExitPartial);
        continue;
      }
      BaselineStruct &One = Made.Structs.emplace_back();
      One.Config = In->Name;
      One.Triple = In->Triple;
      const LayoutOptions Options = optionsFor(Asked, *In);
      One.LineBytes = Options.LineBytes;
      const LayoutProblem Problem(
          JoinedConfigs{Evidence->Record, {*Evidence}, {}}, Options);
      const Cost Price = Problem.model().price(
          Problem.space().layout(Problem.space().declared()));
      double Visits = 0;
      for (const CoAccessSet &Set : Evidence->Sets)
        Visits += Set.Weight;
      if (Visits > 0) {
        One.Cost = Price.total() / Visits;
        One.Lines = Price.Lines / Visits;
        One.Sharing = Price.Sharing / Visits;
      }
      One.Record = std::move(Evidence->Record);
    }
  if (Made.Structs.empty())
    return failure("no struct for the baseline");
  std::ranges::stable_sort(
      Made.Structs, [](const BaselineStruct &A, const BaselineStruct &B) {
        return std::tie(A.Record.Name, A.Record.File, A.Config) <
               std::tie(B.Record.Name, B.Record.File, B.Config);
      });
  for (size_t S = 1; S < Made.Structs.size(); ++S)
    if (const BaselineStruct &A = Made.Structs[S - 1], &B = Made.Structs[S];
        std::tie(A.Record.Name, A.Record.File, A.Config) ==
        std::tie(B.Record.Name, B.Record.File, B.Config))
      return failure("struct " + A.Record.Name + " is there twice in " +
                     A.Record.File + "; a baseline tells them by their files");
  return Made;
}

} // namespace kst
