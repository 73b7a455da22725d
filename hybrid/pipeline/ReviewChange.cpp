// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ReviewChange.h"

#include "analyzer/compile/ProjectRoot.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/fieldorder/FailureView.h"
#include "hybrid/findings/MergeFindings.h"
#include "hybrid/pipeline/AskedStructs.h"
#include "hybrid/pipeline/BaseFacts.h"
#include "hybrid/pipeline/ChangedUnits.h"
#include "hybrid/pipeline/Configs.h"
#include "hybrid/pipeline/GroupAsserts.h"
#include "hybrid/pipeline/SuppressionsFile.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/review/Counterpart.h"
#include "hybrid/review/FieldPairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace kst {

namespace {

/// One configuration with the change, against the base.
class ConfigReview {
public:
  ConfigReview(const ReviewRequest &Asked, const ChangedCode &Change,
               const Configs &All, const Config &In, const BaseFacts &Base,
               ReviewAnswer &Answer)
      : Asked(Asked), Change(Change), All(All), In(In), Base(Base),
        Earlier(*Base.Records, *In.Whole), Answer(Answer),
        Report(Answer.Report) {
    for (double Total : In.Often->Often.Total)
      Calls += Total;
  }

  void run() {
    for (RecordId Id = 0; Id != In.Whole->recordCount(); ++Id) {
      const std::string &Name = In.Whole->recordName(Id);
      if (Name.empty() || Name.find(" at ") != std::string::npos)
        continue;
      const RecordInfo Record = In.Whole->recordInfo(Id);
      if (asksFor(Asked.Structs, Record))
        look(Id, Record);
    }
  }

private:
  void look(RecordId Id, const RecordInfo &Record);

  const ReviewRequest &Asked;
  const ChangedCode &Change;
  const Configs &All;
  const Config &In;
  const BaseFacts &Base;
  Counterparts Earlier;
  ReviewAnswer &Answer;
  ReviewReport &Report;
  double Calls = 0;
};

/// Whether there is anything to review.
void ConfigReview::look(RecordId Id, const RecordInfo &Record) {
  const auto Writes = Base.Added.find(Record.Name);
  const bool Written = Writes != Base.Added.end();
  // Forms that no parsed unit of the base has did not change.
  std::optional<RecordInfo> Before = Earlier.of(Id);
  const bool Same = !Before || sameLayout(*Before, Record);
  if (Same && !Written)
    return;
  if (!Before)
    Before = Record;
  StructVersions Versions;
  Versions.Config = In.Name;
  Versions.Triple = In.Triple;
  Versions.Base = &*Before;
  Versions.Calls = Calls;
  Versions.Layout = Asked.Layout;
  Versions.Layout.Rules = rulesOfText(Change.headText(Record.File), Record);
  if (!Same)
    Versions.Through = changedWithin(*Before, Record);
  if (Written)
    Versions.Added = Writes->second;
  StructRequest Request;
  Request.Name = RecordSpelling{Record.Name, Record.File, Record.Line}.text();
  auto Evidence = All.evidenceOf(In, Id, Request);
  if (!Evidence) {
    // Definitions of one place, each of which is a record, say the same.
    const std::string Note = In.Name + ": " + Evidence.error();
    if (!llvm::is_contained(Report.Notes, Note))
      Report.Notes.push_back(Note);
    if (!Asked.Structs.empty())
      Answer.Status = ExitPartial;
    return;
  }
  Versions.Head = &*Evidence;
  ReviewedStruct Reviewed = reviewStruct(Versions, Asked.Review);
  llvm::append_range(Reviewed.Findings,
                     failedAsserts(In, *Before, Evidence->Record,
                                   [&](const std::string &File) {
                                     return Change.headText(File);
                                   }));
  for (Finding &One : Reviewed.Findings)
    if (One.Config.empty())
      One.Config = {In.Name};
  llvm::append_range(Report.Findings, std::move(Reviewed.Findings));
  if (!Same)
    Report.Structs.push_back(std::move(Reviewed.Change));
}

class Reviewer {
public:
  explicit Reviewer(ReviewRequest Request) : Asked(std::move(Request)) {}
  llvm::Expected<ReviewAnswer> run();

private:
  llvm::Error readTheChange();
  llvm::Error findStructs();
  llvm::Error settleStructs();
  llvm::Error leaveOut(std::vector<std::string> Mistakes, size_t Structs);
  llvm::Error reviewAll();
  llvm::Expected<Configs> collectHead(const ReviewSelection &Chosen) const;
  llvm::Error review(const Configs &All, const Config &In,
                     const ChangedUnits &Changed);

  ReviewRequest Asked;
  ChangedCode Change;
  std::optional<AskedStructs> Structs;
  ReviewAnswer Answer;
  ReviewReport &Report = Answer.Report;
};

/// A repository inside of the project in which the user stands, as a submodule
/// is: revisions and patches are then its own.
static std::string ownRoot(const SourceTree &Tree) {
  const std::string Own = repositoryAround(realPath("", "."));
  return isBelow(Own, Tree.SourceRoot) ? Own : Tree.SourceRoot;
}

llvm::Error Reviewer::readTheChange() {
  auto Tree = loadTree(Asked.Units, buildsOf(Asked.Units).front());
  if (!Tree)
    return usageError(llvm::toString(Tree.takeError()));
  auto Read = readChangedCode(Asked.Change, Tree->SourceRoot, ownRoot(*Tree));
  if (!Read)
    return Read.takeError();
  Change = std::move(*Read);
  Report.Base = Change.BaseName;
  Report.Head = Change.HeadName;
  Report.Notes = Change.Notes;
  for (const ChangedSource &Source : Change.Sources)
    Report.ChangedFiles.push_back(Source.Name);
  return llvm::Error::success();
}

/// An error if nothing is left of so many structs.
llvm::Error Reviewer::leaveOut(std::vector<std::string> Mistakes,
                               size_t Structs) {
  if (Mistakes.empty() || Mistakes.size() == Structs)
    return errors(ExitUsage, Mistakes);
  Asked.Diags.report(errors(ExitUsage, Mistakes));
  Answer.Status = ExitPartial;
  return llvm::Error::success();
}

/// By the texts, before the units are parsed.
llvm::Error Reviewer::findStructs() {
  Structs.emplace(Change, Asked.Structs);
  const size_t Count = std::exchange(Asked.Structs, Structs->known()).size();
  return leaveOut(Structs->mistakes(), Count);
}

/// By what the units had.
llvm::Error Reviewer::settleStructs() {
  for (const std::string &Name : Structs->undefined())
    Report.Notes.push_back("no unit that was looked at defines struct '" +
                           Name + "'");
  return leaveOut(Structs->misplaced(), Asked.Structs.size());
}

llvm::Expected<Configs>
Reviewer::collectHead(const ReviewSelection &Chosen) const {
  AnalyzeRequest Request = Asked;
  Request.Units.BuildDirs = Chosen.Builds;
  if (Chosen.Builds == std::vector<std::string>{""})
    Request.Units.BuildDirs.clear();
  Request.Run.Cache.Over = &Change.Head;
  return Configs::collect(Request, Chosen.Lists, /*Apart=*/true);
}

llvm::Error Reviewer::reviewAll() {
  auto Chosen = selectForReview(Asked, Change);
  if (!Chosen)
    return Chosen.takeError();
  llvm::append_range(Report.Notes, Chosen->Notes);
  if (Chosen->Lists.empty())
    return llvm::Error::success();
  if (const std::string &Root = Chosen->Lists.front().SourceRoot;
      Root != Change.Root)
    return usageError("the build directory is about " + Root + ", not " +
                      Change.Root);
  auto All = collectHead(*Chosen);
  if (!All)
    return All.takeError();
  for (size_t B = 0; B != Chosen->Lists.size(); ++B)
    if (llvm::Error E = review(*All, *All->each()[B], Chosen->Changed[B]))
      return E;
  return llvm::Error::success();
}

llvm::Error Reviewer::review(const Configs &All, const Config &In,
                             const ChangedUnits &Changed) {
  const Coverage &Covered = In.Session.Covered;
  Report.Configs.push_back(In.Name);
  Report.UnitsLooked += Covered.UnitsParsed;
  Report.UnitsChanged += Changed.Seeing.size();
  if (!Covered.UnitsFailed.empty())
    Report.Notes.push_back(
        In.Name + ": of the head " +
        failureSummary(Covered.UnitsFailed, Covered.UnitsSelected));
  auto Base = collectBase(Asked, Change, Changed, In, Report.Notes);
  if (!Base)
    return Base.takeError();
  Structs->look(*In.Whole, *Base->Records);
  ConfigReview(Asked, Change, All, In, *Base, Answer).run();
  return llvm::Error::success();
}

llvm::Expected<ReviewAnswer> Reviewer::run() {
  Report.Tool = thisTool();
  auto Silent = readSuppressions(Asked.Suppressions);
  if (!Silent)
    return Silent.takeError();
  if (llvm::Error E = readTheChange())
    return E;
  if (llvm::Error E = findStructs())
    return E;
  if (!Change.Sources.empty()) {
    if (llvm::Error E = reviewAll())
      return E;
    if (llvm::Error E = settleStructs())
      return E;
  }
  mergeFindings(Report);
  std::ranges::stable_sort(Report.Structs,
                           [](const StructChange &A, const StructChange &B) {
                             return std::tuple(!A.Through.empty(), A.Name) <
                                    std::tuple(!B.Through.empty(), B.Name);
                           });
  if (llvm::Error E = suppress(*Silent, Report))
    return E;
  return std::move(Answer);
}

} // namespace

llvm::Expected<ReviewAnswer> reviewChange(const ReviewRequest &Asked) {
  return Reviewer(Asked).run();
}

} // namespace kst
