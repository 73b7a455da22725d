// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/SurveyTree.h"
#include "hybrid/program/ScalarStores.h"

#include "hybrid/core/RecordSpelling.h"
#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/pipeline/Analyze.h"
#include "hybrid/pipeline/SurveyMemory.h"
#include "hybrid/pipeline/SurveyRows.h"
#include "hybrid/pipeline/UsedStructs.h"
#include "hybrid/pipeline/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <chrono>
#include <set>

namespace kst {

namespace {

/// The steps of a short search are so many times fewer than those of a whole.
constexpr uint64_t ShortSearch = 25;
/// A struct that costs a smaller share of what those before it cost together is
/// not searched: it could not save more.
constexpr double WorthASearch = 1e-5;

class Surveyor {
public:
  Surveyor(SurveyAnswer &Answer, const SurveyRequest &Asked,
           const std::function<void(const Report &)> &Shown)
      : Answer(Answer), Asked(Asked), Shown(Shown) {}

  llvm::Error run();

private:
  llvm::Error price(const std::string &Name);
  llvm::Error searchWhole(SurveyRow &Row);
  llvm::Error searchFirst();
  void progress(size_t Done, size_t All, const std::string &Name) const;
  bool wanted(const RecordInfo &Record) const;
  double seconds();

  SurveyAnswer &Answer;
  const SurveyRequest &Asked;
  const std::function<void(const Report &)> &Shown;
  std::chrono::steady_clock::time_point Last = std::chrono::steady_clock::now();
};

double Surveyor::seconds() {
  const auto Now = std::chrono::steady_clock::now();
  const double Passed = std::chrono::duration<double>(Now - Last).count();
  Last = Now;
  return Passed;
}

void Surveyor::progress(size_t Done, size_t All,
                        const std::string &Name) const {
  if (Asked.Run.Shown)
    Asked.Run.Shown->show(Done, All, Name);
}

bool Surveyor::wanted(const RecordInfo &Record) const {
  return Record.SizeBytes >= Asked.LeastBytes &&
         Record.SizeBytes <= Asked.MostBytes &&
         (Asked.DefinedIn.empty() ||
          llvm::any_of(Asked.DefinedIn, [&](const std::string &Directory) {
            return Record.File == Directory ||
                   llvm::StringRef(Record.File)
                       .starts_with(Directory.ends_with('/') ? Directory
                                                             : Directory + "/");
          }));
}

/// Bytes that somebody else sees, for sure: nothing of it may ever move.
bool isVisible(const std::vector<ConstraintNote> &Rules) {
  return llvm::any_of(Rules, [](const ConstraintNote &Note) {
    return Note.Field.empty() && Note.Strength == RuleStrength::Hard &&
           llvm::StringRef(Note.Id).starts_with("uapi");
  });
}

llvm::Error Surveyor::price(const std::string &Name) {
  StructRequest Struct;
  Struct.Name = Name;
  auto Ready = Answer.From->prepare(Struct);
  if (!Ready)
    return Ready.takeError();
  const StructInConfigs &In = Ready->Struct;
  if (llvm::all_of(In.Evidence.Configs, [](const AffinityEvidence &Config) {
        return Config.Sets.empty();
      })) {
    ++Answer.What.Unused;
    return llvm::Error::success();
  }
  const LayoutProblem Problem(In.Evidence, Ready->Layout);
  SurveyRow Row = pricedRow(In, Problem);
  Row.Name = Name;
  Answer.What.Reference = In.Evidence.Configs.front().Covered.Reference;
  if (isVisible(Row.Rules) && !Asked.Visible) {
    ++Answer.What.Visible;
    return llvm::Error::success();
  }
  Answer.What.TotalCost += Row.Objective;
  Answer.What.TotalVisits += Row.Visits;
  if (!wanted(In.Evidence.Joint)) {
    ++Answer.What.Filtered;
    return llvm::Error::success();
  }
  addHolders(Row, In);
  if (Row.Objective >= WorthASearch * Answer.What.TotalCost) {
    LayoutOptions Few = Ready->Layout;
    Few.Budget /= ShortSearch;
    addFound(Row, makeReport(In, LayoutProblem(In.Evidence, Few)),
             SearchEffort::Short);
  }
  Answer.What.Rows.push_back(std::move(Row));
  return llvm::Error::success();
}

llvm::Error Surveyor::searchWhole(SurveyRow &Row) {
  StructRequest Struct;
  Struct.Name = Row.Name;
  auto Ready = Answer.From->prepare(Struct);
  if (!Ready)
    return Ready.takeError();
  const LayoutProblem Problem(Ready->Struct.Evidence, Ready->Layout);
  const Report R = makeReport(Ready->Struct, Problem);
  addFound(Row, R, SearchEffort::Whole);
  if (Shown)
    Shown(R);
  return llvm::Error::success();
}

/// Until the first rows are all searched as --struct does; what a whole search
/// finds may change their ranks.
llvm::Error Surveyor::searchFirst() {
  std::vector<SurveyRow> &Rows = Answer.What.Rows;
  for (size_t Done = 0;;) {
    rank(Rows);
    const size_t Top = std::min<size_t>(Asked.Top, Rows.size());
    auto Next = llvm::find_if(
        llvm::make_range(Rows.begin(), Rows.begin() + Top),
        [](const SurveyRow &Row) {
          return Row.Searched == SearchEffort::Short && Row.Proposed;
        });
    if (Next == Rows.begin() + Top)
      return llvm::Error::success();
    progress(std::min(Done++, Top), Top, Next->Name);
    if (llvm::Error E = searchWhole(*Next))
      return E;
  }
}

llvm::Error Surveyor::run() {
  Survey &To = Answer.What;
  const UsedStructs Used = usedStructs(Answer.From->All);
  To.Defined = Used.Defined;
  To.Unused = Used.Unused;
  const std::set<std::string> &Names = Used.Names;
  size_t Done = 0;
  for (const std::string &Name : Names) {
    progress(Done++, Names.size(), Name);
    if (llvm::Error E = price(Name)) {
      ++To.Failed;
      Asked.Diags.report(std::move(E));
      Answer.Status = worse(Answer.Status, ExitPartial);
    }
  }
  Answer.Times.Short = seconds();
  if (llvm::Error E = searchFirst())
    return E;
  Answer.Times.Whole = seconds();
  if (Asked.Run.Shown)
    Asked.Run.Shown->clear();
  if (llvm::Error E = priceMemory(Asked, Answer.From->All, To))
    return E;
  if (Asked.LeastGain > 0) {
    const size_t Before = To.Rows.size();
    llvm::erase_if(To.Rows, [&](const SurveyRow &Row) {
      return Row.gain() < Asked.LeastGain;
    });
    To.Filtered += Before - To.Rows.size();
  }
  To.Shown = std::min<size_t>(Asked.Top, To.Rows.size());
  // Of the first configuration: others differ in a few places.
  To.Scalars = scalarStores(*Answer.From->All.each().front()->Whole);
  for (ScalarStore &Of : To.Scalars)
    Of.Pointer = llvm::demangle(Of.Pointer);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<SurveyAnswer>
surveyTree(SurveyRequest Asked,
           const std::function<void(const Report &)> &Shown) {
  const auto Begin = std::chrono::steady_clock::now();
  if (llvm::Error E = checkSlabinfo(Asked.Slabinfo))
    return E;
  auto Opened = Session::open(Asked);
  if (!Opened)
    return Opened.takeError();
  SurveyAnswer Answer;
  Answer.From = std::make_unique<Session>(std::move(*Opened));
  Answer.Status = Answer.From->Status;
  Survey &To = Answer.What;
  To.Tool = thisTool();
  To.LineBytes = Asked.Layout.LineBytes;
  To.Machine = Asked.Layout.On.Name;
  To.Paths = Asked.Units.Paths;
  for (const auto &In : Answer.From->All.each()) {
    To.Configs.push_back(In->Name);
    To.UnitsSelected += In->Session.Covered.UnitsSelected;
    To.UnitsParsed += In->Session.Covered.UnitsParsed;
  }
  Surveyor Do(Answer, Asked, Shown);
  Answer.Times.Open =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Begin)
          .count();
  if (llvm::Error E = Do.run())
    return E;
  return Answer;
}

} // namespace kst
