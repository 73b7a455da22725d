// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Preflight.h"

#include "analyzer/compile/SourceTree.h"
#include "analyzer/files/InputFile.h"
#include "analyzer/files/OutputFile.h"
#include "analyzer/request/HotNames.h"
#include "analyzer/request/StructSearch.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/pipeline/FactsSession.h"
#include "hybrid/pipeline/Questions.h"
#include "hybrid/report/Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <memory>
#include <set>

namespace kst {

namespace {

class Checker {
public:
  explicit Checker(AnalyzeRequest Request) : Asked(std::move(Request)) {}

  llvm::Expected<Preflight> run(const std::vector<std::string> &UsedWith);

private:
  llvm::Error loadLists();
  llvm::Error toldOf(const UnitList &List);
  bool patches() const;
  void warnUselessExclude() const;
  Prober prober(size_t Build);
  llvm::Error keepKnown();
  std::vector<std::string> whyUnknown(size_t Struct) const;
  llvm::Error checkFields(size_t Number, const StructRequest &Struct,
                          const std::vector<std::string> &UsedWith) const;
  llvm::Error checkHeaders(size_t Number, const StructRequest &Struct) const;
  llvm::Error checkHot();
  std::vector<RecordInfo> recordsOf(size_t Number) const;
  std::string headerOf(const RecordInfo &Record) const {
    return absolutePath(Lists.front().SourceRoot, Record.File);
  }
  std::string relative(std::string Text) const;

  AnalyzeRequest Asked;
  std::vector<UnitList> Lists;
  std::vector<std::unique_ptr<IncludeGraph>> Graphs; ///< per list
  std::vector<std::vector<FoundStruct>> Found;       ///< per list, per struct
  /// Beside Asked.Structs, once the unknown ones are gone: their numbers
  /// before.
  std::vector<size_t> Numbers;
  bool Interrupted = false;
  ExitCode Status = ExitDone;
};

llvm::Error Checker::loadLists() {
  for (const std::string &Build : buildsOf(Asked.Units)) {
    DatabaseOptions Units = unitsOf(Asked, Build);
    if (!patches())
      Units.Missed = [&](const std::string &Why) { Asked.Diags.warn(Why); };
    llvm::Expected<UnitList> List = loadUnits(Units);
    if (!List)
      return usageError(llvm::toString(List.takeError()));
    if (llvm::Error E = toldOf(*List))
      return E;
    Lists.push_back(std::move(*List));
    Graphs.push_back(std::make_unique<IncludeGraph>(Lists.back().Units));
  }
  return llvm::Error::success();
}

/// Says at once what a selection lacks; an error if that may not be.
llvm::Error Checker::toldOf(const UnitList &List) {
  if (!List.PathsMissed.empty()) {
    llvm::Error Missed = errors(ExitUsage, List.PathsMissed);
    if (patches())
      return llvm::joinErrors(
          std::move(Missed),
          usageError(
              "nothing is done, as --patch and --write want all that was "
              "asked for"));
    llvm::consumeError(std::move(Missed)); // it was said
    Status = ExitPartial;
  }
  for (const std::string &Note : List.Notes)
    Asked.Diags.note("note: " + Note);
  constexpr size_t Most = 3;
  const std::vector<std::string> &Objects = List.Ungenerated;
  if (!Objects.empty()) {
    const size_t Shown = std::min(Most, Objects.size());
    std::string Text =
        "note: the build has yet to generate " +
        counted(Objects.size(), "source") +
        ", not looked at; this does: " + List.Builds.front().Make;
    for (size_t I = 0; I != Shown; ++I)
      Text += " " + Objects[I];
    Asked.Diags.note(Text + (Shown < Objects.size() ? " ..." : ""));
  }
  return llvm::Error::success();
}

bool Checker::patches() const {
  return llvm::any_of(Asked.Structs,
                      [](const auto &Struct) { return Struct.wantsPatch(); });
}

void Checker::warnUselessExclude() const {
  for (const std::string &Path : Asked.Units.Exclude)
    if (llvm::none_of(Lists, [&](const UnitList &List) {
          auto Uses = List.Excluded.find(Path);
          return Uses != List.Excluded.end() && Uses->second;
        }))
      Asked.Diags.warn("warning: --exclude " + Path +
                       " leaves out no selected file");
}

/// The front end on a few units of a list, in children and with the cache, as
/// the analysis itself.
Prober Checker::prober(size_t Build) {
  return [this, Build](llvm::ArrayRef<uint32_t> Which) {
    const UnitList &List = Lists[Build];
    std::vector<std::optional<TuFacts>> Facts(Which.size());
    if (Interrupted)
      return Facts;
    std::vector<RunUnit> Units;
    for (uint32_t Unit : Which)
      Units.push_back(runUnit(List.Units[Unit]));
    RunOptions Run = declarationOptions(Asked, List.SourceRoot);
    Run.Shown = nullptr;
    Interrupted |=
        runUnits(Units, makeDeclarationExtractor(List.SourceRoot), Run,
                 [&](size_t Index, UnitOutcome Outcome) {
                   Facts[Index] = std::move(Outcome.Facts);
                 })
            .Interrupted;
    return Facts;
  };
}

/// Why a struct is in no configuration; each reason once, none if it is in one.
std::vector<std::string> Checker::whyUnknown(size_t Struct) const {
  std::vector<std::string> Mistakes;
  for (const std::vector<FoundStruct> &Build : Found) {
    const std::string &Mistake = Build[Struct].Mistake;
    if (Mistake.empty())
      return {};
    if (!llvm::is_contained(Mistakes, Mistake))
      Mistakes.push_back(Mistake);
  }
  return Mistakes;
}

/// What is asked about one struct under another name too.
void append(StructRequest &To, StructRequest More) {
  for (auto Words : {&StructRequest::Pins, &StructRequest::LiftRules,
                     &StructRequest::Contention, &StructRequest::Align,
                     &StructRequest::WhatIf, &StructRequest::OrderFiles,
                     &StructRequest::PatchFiles})
    llvm::append_range(To.*Words, More.*Words);
  To.Write |= More.Write;
  To.Private |= More.Private;
  if (More.Turns != UserTurns::Unsaid)
    To.Turns = More.Turns;
}

/// Keeps the structs that some configuration may have, by their proper names;
/// the error says why not the others.
llvm::Error Checker::keepKnown() {
  std::vector<std::string> Mistakes;
  std::vector<StructRequest> Known;
  for (size_t I = 0; I != Asked.Structs.size(); ++I) {
    std::vector<std::string> Why = whyUnknown(I);
    llvm::append_range(Mistakes, Why);
    if (!Why.empty())
      continue;
    const FoundStruct *Struct = nullptr;
    for (const std::vector<FoundStruct> &Build : Found)
      if (Build[I].Mistake.empty() && (!Struct || Build[I].Record))
        Struct = &Build[I];
    StructRequest &Request = Asked.Structs[I];
    Request.Name = Struct->Name;
    auto Same = llvm::find_if(Known, [&](const StructRequest &Other) {
      return Other.Name == Request.Name;
    });
    if (Same != Known.end()) {
      append(*Same, std::move(Request));
      continue;
    }
    Known.push_back(std::move(Request));
    Numbers.push_back(I);
  }
  Asked.Structs = std::move(Known);
  return errors(ExitUsage, Mistakes);
}

/// Text with files as the report names them.
std::string Checker::relative(std::string Text) const {
  const std::string Root = Lists.front().SourceRoot + "/";
  for (size_t Pos = 0; (Pos = Text.find(Root, Pos)) != std::string::npos;)
    Text.erase(Pos, Root.size());
  return Text;
}

/// The struct in each configuration that has it, as far as is known.
std::vector<RecordInfo> Checker::recordsOf(size_t Number) const {
  std::vector<RecordInfo> Records;
  for (const std::vector<FoundStruct> &Build : Found)
    if (Build[Number].Record)
      Records.push_back(*Build[Number].Record);
  return Records;
}

/// Whether the request names fields, which must be there.
bool asksOfFields(const StructRequest &Struct,
                  const std::vector<std::string> &UsedWith) {
  return !Struct.Pins.empty() || !Struct.Align.empty() ||
         !Struct.WhatIf.empty() || !Struct.OrderFiles.empty() ||
         !UsedWith.empty();
}

llvm::Error
Checker::checkFields(size_t Number, const StructRequest &Struct,
                     const std::vector<std::string> &UsedWith) const {
  const std::vector<RecordInfo> Records = recordsOf(Number);
  const bool Sure = llvm::all_of(Found, [&](const auto &Build) {
    return Build[Number].Record || !Build[Number].Mistake.empty();
  });
  if (Records.empty() || !Sure || !asksOfFields(Struct, UsedWith))
    return llvm::Error::success();
  std::vector<SourceRule> Rules;
  if (llvm::Expected<std::string> Text = readFile(headerOf(Records.front())))
    Rules = rulesOfText(std::move(*Text), Records.front());
  else
    llvm::consumeError(Text.takeError());
  return fieldMistakes(Asked, Struct, UsedWith, Records, std::move(Rules));
}

llvm::Error Checker::checkHeaders(size_t Number,
                                  const StructRequest &Struct) const {
  llvm::Error Wrong = llvm::Error::success();
  if (Struct.Write)
    for (const RecordInfo &Record : recordsOf(Number))
      Wrong =
          llvm::joinErrors(std::move(Wrong), checkWritable(headerOf(Record)));
  return Wrong;
}

llvm::Error Checker::checkHot() {
  std::vector<std::string> Names;
  for (const auto &[Name, Weight] : Asked.Hot)
    Names.push_back(Name);
  std::set<std::string> Functions; ///< of some configuration
  std::vector<HotName> Answers;
  for (size_t Build = 0; Build != Lists.size() && !Names.empty(); ++Build) {
    Answers = findHotNames(*Graphs[Build], Names, prober(Build));
    for (const HotName &Answer : Answers)
      if (Answer.Kind == HotKind::Function)
        Functions.insert(Answer.Name);
  }
  std::vector<std::string> Mistakes;
  size_t Useless = 0;
  for (const HotName &Answer : Answers) {
    if (Functions.count(Answer.Name))
      continue;
    ++Useless;
    const std::string &From = Asked.HotFrom.at(Answer.Name);
    const bool Listed = !From.starts_with("--hot");
    std::string Text = From + ": " + (Listed ? Answer.Name + ": " : "") +
                       relative(Answer.Explanation);
    // A list may be about more than what was selected.
    if (Answer.Kind == HotKind::Macro ||
        (Answer.Kind == HotKind::Unknown && (!Listed || Answer.Near)))
      Mistakes.push_back(Text);
    else {
      Asked.Diags.warn("warning: " + Text);
      Asked.HotFrom.erase(Answer.Name); // no second warning
    }
  }
  if (Useless && Useless == Names.size() && Mistakes.empty())
    return failure("none of the --hot functions is in the selected files");
  return errors(ExitUsage, Mistakes);
}

llvm::Expected<Preflight>
Checker::run(const std::vector<std::string> &UsedWith) {
  for (const StructRequest &Struct : Asked.Structs)
    for (const std::string &File : Struct.OrderFiles)
      if (llvm::Error E = readFile(File).takeError())
        return usageError(llvm::toString(std::move(E)));
  if (llvm::Error E = loadLists())
    return E;
  warnUselessExclude();
  std::vector<std::string> Names;
  std::set<size_t> TextSuffices; // their fields are not spoken of
  for (const StructRequest &Struct : Asked.Structs) {
    if (!Struct.Write && !asksOfFields(Struct, UsedWith))
      TextSuffices.insert(Names.size());
    Names.push_back(Struct.Name);
  }
  for (size_t Build = 0; Build != Lists.size(); ++Build)
    Found.push_back(findStructs(*Graphs[Build], Names,
                                Lists[Build].Failed.empty(), prober(Build),
                                TextSuffices));
  if (Interrupted)
    return interrupted();
  const bool All = Asked.Structs.empty(); // every struct is meant
  llvm::Error Unknown = keepKnown();
  if (Asked.Structs.empty() && !All)
    return Unknown;
  if (Unknown && patches())
    return llvm::joinErrors(
        std::move(Unknown),
        usageError("nothing is done, as --patch and --write are about all "
                   "structs"));
  if (Asked.Diags.report(std::move(Unknown)) != ExitDone)
    Status = ExitPartial;
  llvm::Error Wrong = llvm::Error::success();
  for (size_t I = 0; I != Asked.Structs.size(); ++I)
    Wrong = llvm::joinErrors(
        std::move(Wrong), checkFields(Numbers[I], Asked.Structs[I], UsedWith));
  for (size_t I = 0; I != Asked.Structs.size(); ++I)
    Wrong = llvm::joinErrors(std::move(Wrong),
                             checkHeaders(Numbers[I], Asked.Structs[I]));
  Wrong = llvm::joinErrors(std::move(Wrong), checkHot());
  if (Interrupted) {
    llvm::consumeError(std::move(Wrong));
    return interrupted();
  }
  if (Wrong)
    return Wrong;
  return Preflight{std::move(Asked), std::move(Lists), Status};
}

} // namespace

llvm::Expected<Preflight>
checkAgainstSources(AnalyzeRequest Asked,
                    const std::vector<std::string> &UsedWith) {
  return Checker(std::move(Asked)).run(UsedWith);
}

} // namespace kst
