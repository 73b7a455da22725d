// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/Preflight.h"

#include "analyzer/facts/DeclaredFacts.h"
#include "analyzer/request/HotNames.h"
#include "analyzer/request/Questions.h"
#include "analyzer/request/StructSearch.h"
#include "analyzer/rewrite/Definition.h"
#include "analyzer/run/RunUnits.h"
#include "tools/kstatic-affinity/Complain.h"
#include "tools/kstatic-affinity/FactsSession.h"
#include "tools/kstatic-affinity/InputFile.h"
#include "tools/kstatic-affinity/Interrupt.h"
#include "tools/kstatic-affinity/OutputFile.h"
#include "tools/kstatic-affinity/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <set>

namespace kst {

namespace {

/// Whether all files that are named to be written can be.
bool outputsAreWritable(const Options &Given) {
  std::vector<std::string> Files{Given.JsonFile, Given.HtmlFile,
                                 Given.InstanceFile};
  for (const Addressed &Patch : Given.Patches)
    Files.push_back(Patch.Text);
  // Of several structs each has a file of its own, under a longer name.
  const char *Suffix = Given.Structs.size() == 1 ? "" : ".x";
  for (const std::string &Graph : {Given.GraphMlFile, Given.DotFile})
    if (!Graph.empty())
      Files.push_back(Graph == "-" ? Graph : Graph + Suffix);
  bool Good = true;
  for (const std::string &File : Files)
    Good &= !reportError(checkWritable(File));
  return Good;
}

class Checker {
public:
  explicit Checker(const Options &Given) : Given(Given) {}

  std::variant<Preflight, ExitCode> run();

private:
  bool loadLists();
  void warnUselessExclude() const;
  Prober prober(size_t Build);
  void findAllStructs();
  void keepKnown(Preflight &Into);
  void checkFields(const Preflight &Known);
  void checkHeaders(const Preflight &Known);
  void checkHot(Preflight &Known);
  std::vector<std::string> answersOf(size_t Struct) const;
  FieldQuestions questionsAbout(const Options &Asked, size_t Struct);
  std::string pathOf(const RecordInfo &Record) const;
  std::string relative(std::string Text) const;

  void mistake(const std::string &Message) {
    complain(Message);
    Code = std::max(Code, ExitUsage);
  }

  const Options &Given;
  std::vector<UnitList> Lists;
  std::vector<std::unique_ptr<IncludeGraph>> Graphs; ///< per list
  std::vector<std::vector<FoundStruct>> Found;       ///< per list, per struct
  std::vector<size_t> Kept; ///< numbers of the structs that are known
  bool Interrupted = false;
  ExitCode Code = ExitDone;
};

bool Checker::loadLists() {
  std::vector<std::string> Builds = Given.BuildDirs;
  if (Builds.empty())
    Builds.push_back("");
  for (const std::string &Build : Builds) {
    Options One = Given;
    One.BuildDirs.clear();
    if (!Build.empty())
      One.BuildDirs.push_back(Build);
    llvm::Expected<UnitList> List = loadUnits(selectedUnits(One));
    if (!List) {
      reportError(List.takeError());
      return false;
    }
    Lists.push_back(std::move(*List));
    Graphs.push_back(std::make_unique<IncludeGraph>(Lists.back().Units));
  }
  return true;
}

void Checker::warnUselessExclude() const {
  for (const std::string &Path : Given.Exclude)
    if (llvm::none_of(Lists, [&](const UnitList &List) {
          auto At = List.Excluded.find(Path);
          return At != List.Excluded.end() && At->second;
        }))
      complain("warning: --exclude " + Path + " leaves out no selected file");
}

/// The front end on a few units of a list, in children and with the cache, as
/// the analysis itself.
Prober Checker::prober(size_t Build) {
  return [this, Build](llvm::ArrayRef<uint32_t> Which) {
    const UnitList &List = Lists[Build];
    std::vector<std::optional<TuFacts>> All(Which.size());
    if (Interrupted)
      return All;
    std::vector<RunUnit> Units;
    for (uint32_t Unit : Which) {
      const CompileUnit &From = List.Units[Unit];
      Units.push_back({From.File, From.Relative, From.Directory, From.Args});
    }
    auto Extract = [&](const RunUnit &Unit,
                       llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
      ExtractRequest Request;
      Request.SourceRoot = List.SourceRoot;
      Request.Directory = Unit.Directory;
      Request.Args = Unit.Args;
      return declaredFacts(Request, std::move(Files));
    };
    RunOptions Run = runOptions(Given, List.SourceRoot);
    Run.Cache.ToolId += " declarations";
    RunStatistics Statistics =
        runUnits(Units, Extract, Run, [&](size_t Index, UnitOutcome Outcome) {
          All[Index] = std::move(Outcome.Facts);
        });
    Interrupted |= Statistics.Interrupted;
    return All;
  };
}

void Checker::findAllStructs() {
  for (size_t Build = 0; Build != Lists.size(); ++Build) {
    const Prober Probe = prober(Build);
    Found.push_back(findStructs(*Graphs[Build], Given.Structs,
                                Lists[Build].Failed.empty(), Probe));
  }
}

/// Why a struct is in no configuration; each reason once, none if it is in one.
std::vector<std::string> Checker::answersOf(size_t Struct) const {
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

/// The structs that some configuration may have, by their proper names.
void Checker::keepKnown(Preflight &Into) {
  Into.Given = Given;
  Into.Given.Structs.clear();
  constexpr size_t Gone = Addressed::Every - 1;
  std::vector<size_t> NewNumber(Given.Structs.size(), Gone);
  for (size_t I = 0; I != Given.Structs.size(); ++I) {
    std::vector<std::string> Mistakes = answersOf(I);
    for (const std::string &Mistake : Mistakes)
      mistake(Mistake);
    if (!Mistakes.empty())
      continue;
    const FoundStruct *Known = nullptr;
    for (const std::vector<FoundStruct> &Build : Found)
      if (Build[I].Mistake.empty() && (!Known || Build[I].Record))
        Known = &Build[I];
    std::vector<std::string> &Names = Into.Given.Structs;
    NewNumber[I] = llvm::find(Names, Known->Name) - Names.begin();
    if (NewNumber[I] != Names.size())
      continue; // under two names
    Names.push_back(Known->Name);
    Kept.push_back(I);
  }
  for (std::vector<Addressed> *Said :
       {&Into.Given.Pins, &Into.Given.LiftRules, &Into.Given.WhatIf,
        &Into.Given.OrderFiles, &Into.Given.Patches, &Into.Given.Write}) {
    for (Addressed &One : *Said)
      if (One.Struct != Addressed::Every)
        One.Struct = NewNumber[One.Struct];
    llvm::erase_if(*Said,
                   [](const Addressed &One) { return One.Struct == Gone; });
  }
}

FieldQuestions Checker::questionsAbout(const Options &Asked, size_t Struct) {
  FieldQuestions Questions;
  auto Said = [&](const Addressed &One) {
    return Asked.Structs.size() == 1 ? One.Text
                                     : Asked.Structs[Struct] + ":" + One.Text;
  };
  for (const Addressed &Pin : Asked.Pins)
    if (Pin.concerns(Struct))
      Questions.Pins.push_back({Said(Pin), Pin.Text});
  for (const Addressed &Question : Asked.WhatIf)
    if (Question.concerns(Struct))
      Questions.WhatIf.push_back({Said(Question), Question.Text});
  for (const Addressed &File : Asked.OrderFiles) {
    if (!File.concerns(Struct))
      continue;
    if (llvm::Expected<std::string> Text = readFile(File.Text))
      Questions.Orders.push_back({File.Text, std::move(*Text)});
    else
      llvm::consumeError(Text.takeError()); // it was there a moment ago
  }
  Questions.UsedWith = Asked.UsedWith;
  return Questions;
}

std::string Checker::pathOf(const RecordInfo &Record) const {
  llvm::SmallString<256> Path(Lists.front().SourceRoot);
  llvm::sys::path::append(Path, Record.File);
  return llvm::sys::path::is_absolute(Record.File) ? Record.File
                                                   : std::string(Path);
}

/// Text with files as the report names them.
std::string Checker::relative(std::string Text) const {
  const std::string Root = Lists.front().SourceRoot + "/";
  for (size_t At = 0; (At = Text.find(Root, At)) != std::string::npos;)
    Text.erase(At, Root.size());
  return Text;
}

void Checker::checkFields(const Preflight &Known) {
  for (size_t I = 0; I != Kept.size(); ++I) {
    FieldQuestions Questions = questionsAbout(Known.Given, I);
    std::vector<RecordInfo> Records;
    bool Sure = true; // every configuration has told
    for (const std::vector<FoundStruct> &Build : Found) {
      const FoundStruct &Here = Build[Kept[I]];
      Sure &= Here.Record || !Here.Mistake.empty();
      if (Here.Record)
        Records.push_back(*Here.Record);
    }
    if (Questions.empty() || Records.empty() || !Sure)
      continue;
    std::vector<SourceRule> Rules;
    if (llvm::Expected<std::string> Text = readFile(pathOf(Records.front())))
      Rules = rulesOfText(std::move(*Text), Records.front());
    else
      llvm::consumeError(Text.takeError());
    for (const std::string &Wrong :
         fieldMistakes(Questions, Records, std::move(Rules)))
      mistake(Wrong);
  }
}

void Checker::checkHeaders(const Preflight &Known) {
  for (size_t I = 0; I != Kept.size(); ++I)
    if (llvm::any_of(Known.Given.Write,
                     [&](const Addressed &A) { return A.concerns(I); }))
      for (const std::vector<FoundStruct> &Build : Found)
        if (const std::optional<RecordInfo> &Record = Build[Kept[I]].Record)
          if (reportError(checkWritable(pathOf(*Record))))
            Code = std::max(Code, ExitNoResult);
}

void Checker::checkHot(Preflight &Known) {
  std::vector<std::string> Names;
  for (const auto &[Name, Weight] : Given.Hot)
    Names.push_back(Name);
  std::set<std::string> Functions; ///< of some configuration
  std::vector<HotName> Answers;
  for (size_t Build = 0; Build != Lists.size() && !Names.empty(); ++Build) {
    Answers = findHotNames(*Graphs[Build], Names, prober(Build));
    for (const HotName &Answer : Answers)
      if (Answer.Kind == HotKind::Function)
        Functions.insert(Answer.Name);
  }
  size_t Useless = 0;
  for (const HotName &Answer : Answers) {
    if (Functions.count(Answer.Name))
      continue;
    ++Useless;
    const bool Listed = !Given.HotFrom.at(Answer.Name).starts_with("--hot");
    std::string Text = Given.HotFrom.at(Answer.Name) + ": " +
                       (Listed ? Answer.Name + ": " : "") +
                       relative(Answer.Explanation);
    // A list may be about more than what was selected.
    if (Answer.Kind == HotKind::Macro ||
        (Answer.Kind == HotKind::Unknown && (!Listed || Answer.Near)))
      mistake(Text);
    else {
      complain("warning: " + Text);
      Known.Given.HotFrom.erase(Answer.Name); // no second warning
    }
  }
  if (Useless && Useless == Names.size() && Code == ExitDone) {
    complain("none of the --hot functions is in the selected files");
    Code = ExitNoResult;
  }
}

std::variant<Preflight, ExitCode> Checker::run() {
  if (!outputsAreWritable(Given))
    return ExitNoResult;
  for (const Addressed &File : Given.OrderFiles)
    if (reportError(readFile(File.Text).takeError()))
      return ExitUsage;
  if (!loadLists())
    return ExitUsage;
  warnUselessExclude();
  Preflight Known;
  findAllStructs();
  if (Interrupted)
    return interruptedExit();
  keepKnown(Known);
  if (Kept.empty())
    return Code;
  if (Code != ExitDone && (!Given.Patches.empty() || !Given.Write.empty())) {
    complain("nothing is done, as --patch and --write are about all structs");
    return Code;
  }
  const ExitCode Structs = std::exchange(Code, ExitDone);
  checkFields(Known);
  checkHeaders(Known);
  checkHot(Known);
  if (Interrupted)
    return interruptedExit();
  if (Code != ExitDone)
    return Code;
  Known.Lists = std::move(Lists);
  Known.Code = Structs;
  return Known;
}

} // namespace

std::variant<Preflight, ExitCode> checkAgainstSources(const Options &Given) {
  return Checker(Given).run();
}

} // namespace kst
