// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/CheckGroups.h"

#include "analyzer/compile/SourceTree.h"
#include "analyzer/files/InputFile.h"
#include "hybrid/findings/MergeFindings.h"
#include "hybrid/pipeline/FieldReach.h"
#include "hybrid/pipeline/GroupAsserts.h"
#include "hybrid/pipeline/LineSize.h"
#include "hybrid/pipeline/Session.h"
#include "hybrid/pipeline/SuppressionsFile.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/pipeline/WordSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace kst {

namespace {

constexpr char TablesOfKernel[] = "Documentation/networking/net_cachelines";

std::string linesOf(llvm::StringRef Text, uint32_t First, uint32_t Last) {
  std::string Lines;
  for (uint32_t Number = 1; !Text.empty() && Number <= Last; ++Number) {
    auto [Line, Rest] = Text.split('\n');
    if (Number >= First)
      Lines += Line.str() + "\n";
    Text = Rest;
  }
  return Lines;
}

std::set<std::string> wordsOf(llvm::StringRef Text) {
  std::set<std::string> Words;
  std::string Word;
  for (char C : (Text + "\n").str())
    if (llvm::isAlnum(C) || C == '_')
      Word += C;
    else if (!Word.empty())
      Words.insert(std::exchange(Word, ""));
  return Words;
}

/// "#define sk_family __sk_common.skc_family"
std::map<std::string, std::string> pathMacros(const std::string &Text) {
  std::map<std::string, std::string> Macros;
  llvm::SmallVector<llvm::StringRef, 0> Lines;
  llvm::StringRef(Text).split(Lines, '\n');
  for (llvm::StringRef Line : Lines) {
    Line = Line.trim();
    if (!Line.consume_front("#") ||
        !(Line = Line.ltrim()).consume_front("define"))
      continue;
    const auto [Name, Rest] = llvm::getToken(Line);
    const llvm::StringRef Path = Rest.trim();
    if (!Path.empty() && llvm::all_of(Path, [](char C) {
          return llvm::isAlnum(C) || C == '_' || C == '.';
        }))
      Macros[Name.str()] = Path.str();
  }
  return Macros;
}

class GroupChecker {
public:
  explicit GroupChecker(const GroupsRequest &Asked) : Asked(Asked) {}
  llvm::Expected<GroupsAnswer> run();

private:
  llvm::Error readTables();
  void lookForWords();
  std::set<std::string> namesIn(const Config &In) const;
  void checkConfig(const Config &In);
  void checkStruct(const Config &In, const std::string &Name,
                   const std::vector<GroupAssert> &Asserts);
  void dropRowsOfOthers();

  const GroupsRequest &Asked;
  std::optional<Session> From;
  std::vector<CachelineTable> Tables;
  std::set<std::string> Words; ///< of those of tables, that some file has
  std::string LookedThrough;
  std::map<std::string, size_t> Checked; ///< configurations by struct
  GroupsAnswer Answer;
};

llvm::Error GroupChecker::readTables() {
  std::vector<std::string> Files = Asked.Tables;
  const std::string &Root = From->All.sourceRoot();
  if (Files.empty()) {
    std::error_code Why;
    for (llvm::sys::fs::directory_iterator At(Root + "/" + TablesOfKernel, Why),
         End;
         !Why && At != End; At.increment(Why))
      if (llvm::StringRef(At->path()).ends_with(".rst"))
        Files.push_back(At->path());
    llvm::sort(Files);
  }
  for (const std::string &File : Files) {
    auto Text = readFile(File);
    if (!Text)
      return usageError(llvm::toString(Text.takeError()));
    llvm::StringRef Name = File;
    if (Name.consume_front(Root))
      Name.consume_front("/");
    std::vector<CachelineTable> Found = cachelineTables(*Text, Name.str());
    if (Found.empty() && !Asked.Tables.empty())
      return usageError(File +
                        ": no table: no line has the heads Type and Name");
    for (CachelineTable &Table : Found) {
      if (Table.Struct.empty())
        Answer.Report.Notes.push_back(Table.File + ":" +
                                      std::to_string(Table.Line) +
                                      ": a table of no struct");
      else
        Tables.push_back(std::move(Table));
    }
  }
  return llvm::Error::success();
}

/// Where the program's own files are, and all headers.
void GroupChecker::lookForWords() {
  std::set<std::string> Wanted, Tops = {"include"};
  for (const CachelineTable &Table : Tables) {
    Wanted.insert(Table.Struct);
    for (const TableRow &Row : Table.Rows)
      Wanted.insert(Row.Functions.begin(), Row.Functions.end());
  }
  for (const auto &In : From->All.each())
    for (const RunUnit &Unit : In->Session.Commands)
      // A tree without folders is looked through as a whole.
      Tops.insert(llvm::StringRef(Unit.Relative).contains('/')
                      ? llvm::StringRef(Unit.Relative).split('/').first.str()
                      : ".");
  if (Tops.contains("."))
    Tops = {"."};
  std::vector<std::string> Directories;
  for (const std::string &Top : Tops) {
    const std::string Path = absolutePath(From->All.sourceRoot(), Top);
    if (!llvm::sys::fs::is_directory(Path))
      continue;
    Directories.push_back(Path);
    LookedThrough += (LookedThrough.empty() ? "" : ", ") + Top + "/";
  }
  Words = wordsInFiles(Directories, Wanted);
}

std::set<std::string> GroupChecker::namesIn(const Config &In) const {
  std::set<std::string> Names;
  if (!From->Asked.Structs.empty()) {
    for (const StructRequest &Struct : From->Asked.Structs)
      Names.insert(Struct.Name);
    return Names;
  }
  for (RecordId Id = 0; Id != In.Whole->recordCount(); ++Id)
    if (const std::string &Name = In.Whole->recordName(Id);
        !Name.empty() && Name.find(' ') == std::string::npos &&
        !markedGroups(In.Whole->recordInfo(Id)).empty())
      Names.insert(Name);
  for (const CachelineTable &Table : Tables)
    Names.insert(Table.Struct);
  return Names;
}

void GroupChecker::checkStruct(const Config &In, const std::string &Name,
                               const std::vector<GroupAssert> &Asserts) {
  StructRequest Request;
  Request.Name = Name;
  auto Evidence = From->All.evidenceOf(In, Request);
  if (!Evidence) {
    Answer.Report.Notes.push_back(In.Name + ": " + Evidence.error());
    if (!Asked.Structs.empty())
      Answer.Status = worse(Answer.Status, ExitPartial);
    return;
  }
  const RecordInfo &Record = Evidence->Record;
  GroupSubject Of;
  Of.Config = In.Name;
  Of.LineBytes = Asked.LineGiven ? Asked.Layout.LineBytes : lineBytesOf(In);
  Of.Evidence = &*Evidence;
  Of.Units = In.Session.Covered.UnitsParsed;
  for (const GroupAssert &Claim : Asserts)
    if (Claim.Struct == Record.Name)
      Of.Asserts.push_back(Claim);
  const std::string Header =
      withoutComments(textIfThere(From->All.headerOf(Record)).value_or(""));
  Of.DefinitionWords = wordsOf(linesOf(Header, Record.Line, Record.EndLine));
  Of.Macros = pathMacros(Header);
  if (auto Id = findRecord(*In.Whole, Name))
    for (uint32_t F = 0; F != Record.Fields.size(); ++F)
      if (const RecordId Held = In.Whole->embedded(*Id, F); Held != None)
        for (const FieldInfo &Field : In.Whole->recordInfo(Held).Fields) {
          std::vector<std::string> &Names = Of.Inner[F];
          Names.push_back(Field.Name);
          Names.insert(Names.end(), Field.Members.begin(), Field.Members.end());
        }
  Of.LookedThrough = LookedThrough;
  for (const CachelineTable &Table : Tables)
    if (Table.Struct == Record.Name)
      Of.Table = &Table;
  if (Of.Table) {
    FieldReach Reach(*In.Whole, Record.Name);
    for (const TableRow &Row : Of.Table->Rows)
      for (const std::string &Function : Row.Functions) {
        auto [It, New] = Of.Functions.try_emplace(Function);
        if (!New)
          continue;
        It->second.Known = Words.contains(Function);
        for (FunctionId Id : In.Whole->functionsNamed(Function)) {
          It->second.Known = It->second.Body = true;
          It->second.Uses.merge(Reach.uses(Id));
        }
      }
  }
  GroupedStruct Found = checkGroups(Of, Asked.Check);
  ++Checked[Found.Name];
  llvm::append_range(Answer.Report.Findings, std::move(Found.Findings));
  Found.Findings.clear();
  Answer.Report.Structs.push_back(std::move(Found));
}

void GroupChecker::checkConfig(const Config &In) {
  std::vector<GroupAssert> Asserts;
  for (const TuFacts &Unit : In.Session.Units) {
    const std::string &File = Unit.Strings[Unit.MainFile];
    llvm::append_range(
        Asserts,
        groupAssertsIn(textIfThere(absolutePath(From->All.sourceRoot(), File))
                           .value_or(""),
                       File));
  }
  for (const std::string &Name : namesIn(In)) {
    if (In.Whole->recordsNamed(Name).empty()) {
      for (const CachelineTable &Table : Tables)
        if (Table.Struct == Name && !Words.contains(Name)) {
          Finding New;
          New.Kind = FindingKind::NoSuchStruct;
          New.How = Grade::Medium;
          New.Struct = Name;
          New.Config = {In.Name};
          New.File = Table.File;
          New.Line = Table.Line;
          New.Said = "the table is about struct '" + Name +
                     "', a word that no file of " + LookedThrough + " has";
          Answer.Report.Findings.push_back(std::move(New));
        } else if (Table.Struct == Name)
          Answer.Report.Notes.push_back(
              In.Name + ": no unit that was looked at defines struct " + Name +
              " of " + Table.File);
      continue;
    }
    checkStruct(In, Name, Asserts);
  }
}

/// What one configuration lacks is no usageError of a table if another has it.
void GroupChecker::dropRowsOfOthers() {
  std::erase_if(Answer.Report.Findings, [&](const Finding &F) {
    return F.Kind == FindingKind::NoSuchField &&
           F.Config.size() < Checked[F.Struct];
  });
}

llvm::Expected<GroupsAnswer> GroupChecker::run() {
  auto Silent = readSuppressions(Asked.Suppressions);
  if (!Silent)
    return Silent.takeError();
  AnalyzeRequest Request = Asked;
  if (Request.Structs.empty())
    Request.Units.SomePaths = true;
  auto Opened = Session::open(std::move(Request));
  if (!Opened)
    return Opened.takeError();
  From.emplace(std::move(*Opened));
  Answer.Status = From->Status;
  Answer.Report.Tool = thisTool();
  if (llvm::Error E = readTables())
    return E;
  lookForWords();
  for (const auto &In : From->All.each()) {
    Answer.Report.Configs.push_back(In->Name);
    Answer.Report.UnitsLooked += In->Session.Covered.UnitsParsed;
    checkConfig(*In);
  }
  for (const CachelineTable &Table : Tables)
    if (!Asked.Tables.empty() && !Asked.Structs.empty() &&
        !Checked.contains(Table.Struct))
      Answer.Report.Notes.push_back(Table.File + ":" +
                                    std::to_string(Table.Line) +
                                    ": nothing was held against the table of "
                                    "struct " +
                                    Table.Struct);
  mergeFindings(Answer.Report);
  dropRowsOfOthers();
  if (llvm::Error E = suppress(*Silent, Answer.Report))
    return E;
  return std::move(Answer);
}

} // namespace

llvm::Expected<GroupsAnswer> checkGroups(const GroupsRequest &Asked) {
  return GroupChecker(Asked).run();
}

} // namespace kst
