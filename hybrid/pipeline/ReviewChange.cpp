// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/ReviewChange.h"

#include "analyzer/change/SameCode.h"
#include "analyzer/change/SourceChange.h"
#include "analyzer/compile/SeeingUnits.h"
#include "analyzer/compile/SourceTree.h"
#include "analyzer/facts/DeclaredFacts.h"
#include "analyzer/files/InputFile.h"
#include "analyzer/rewrite/Definition.h"
#include "hybrid/core/RecordSpelling.h"
#include "hybrid/fieldorder/FailureView.h"
#include "hybrid/findings/MergeFindings.h"
#include "hybrid/pipeline/Configs.h"
#include "hybrid/pipeline/GroupAsserts.h"
#include "hybrid/pipeline/SuppressionsFile.h"
#include "hybrid/pipeline/Version.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/review/FieldPairs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace kst {

namespace {

/// What the front end of the kernel reads; all others change no layout.
bool isSource(llvm::StringRef Name) {
  return Name.ends_with(".c") || Name.ends_with(".h") || Name.ends_with(".inc");
}

/// A changed file, and what kind of change it is.
struct CodeChange {
  std::string Name;
  bool MembersOnly = false; ///< nothing but members of structs differs
  bool HasHead = false;
};

/// The declarations of the base in one configuration.
struct BaseRecords {
  std::vector<TuFacts> Units;
  std::unique_ptr<Program> Whole;
};

class Reviewer {
public:
  explicit Reviewer(const ReviewRequest &Asked) : Asked(Asked) {}
  llvm::Expected<ReviewReport> run();

private:
  llvm::Error readTheChange();
  llvm::Error select();
  std::set<std::string> unitsSeeing(const std::string &Build) const;
  void findSeeing();
  llvm::Expected<Configs> collectHead();
  std::set<std::tuple<std::string, std::string, uint32_t>>
  affectedRecords(const Program &Whole) const;
  llvm::Expected<BaseRecords> recordsOfBase(size_t Build, const Config &In);
  llvm::Expected<std::vector<TuFacts>> codeOfBase(size_t Build);
  llvm::Error reviewConfig(size_t Build, const Configs &All);
  std::string headText(const std::string &Relative) const;
  RunOptions options(const FileOverlay &Over, const std::string &Tag) const;

  const ReviewRequest &Asked;
  std::string Root;
  FileOverlay Base, Head;
  std::vector<CodeChange> Changed;
  std::vector<std::string> Builds; ///< that see something of the change
  std::vector<UnitList> Lists;     ///< of each
  /// Per list: units that see a changed file, and those whose code changed, by
  /// their files.
  std::vector<std::set<std::string>> Seeing, SeeingCode;
  ReviewReport Report;
};

llvm::Error Reviewer::readTheChange() {
  llvm::SmallString<256> Cwd;
  llvm::sys::fs::current_path(Cwd);
  const std::string Build = buildsOf(Asked.Units).front();
  const std::string Full = realPath(Cwd, Build.empty() ? "." : Build);
  Root = discoverTree(Full, "", Cwd).SourceRoot;
  auto Change = readChange(Asked.Change, Root);
  if (!Change)
    return mistake(llvm::toString(Change.takeError()));
  Report.Base = Change->Base;
  Report.Head = Change->Head;
  for (ChangedFile &File : Change->Files) {
    const std::string Path = absolutePath(Root, File.Name);
    const std::optional<std::string> OnDisk = textIfThere(Path);
    if (File.changed() && isSource(File.Name) &&
        !(File.Base && File.Head && isSameCode(*File.Base, *File.Head)))
      Changed.push_back({File.Name,
                         File.Base && File.Head &&
                             differsInMembersOnly(*File.Base, *File.Head),
                         File.Head.has_value()});
    if (File.Base != OnDisk)
      Base.add(Path, std::move(File.Base));
    if (File.Head != OnDisk)
      Head.add(Path, std::move(File.Head));
  }
  return llvm::Error::success();
}

/// What is looked at, unless the user says it.
std::vector<std::string> pathsFor(const std::vector<CodeChange> &Changed) {
  std::set<std::string> Paths;
  for (const CodeChange &File : Changed)
    if (llvm::StringRef Name = File.Name; !Name.ends_with(".c"))
      Paths.insert(File.Name);
    else if (llvm::StringRef Directory = llvm::sys::path::parent_path(Name);
             !Directory.empty())
      Paths.insert(Directory.str());
  return {Paths.begin(), Paths.end()};
}

/// By their names below the source root.
std::set<std::string> Reviewer::unitsSeeing(const std::string &Build) const {
  std::set<std::string> Found;
  for (const CodeChange &File : Changed) {
    const std::string Path = absolutePath(Root, File.Name);
    if (llvm::StringRef(Path).ends_with(".c")) {
      Found.insert(File.Name);
      continue;
    }
    DatabaseOptions Units = unitsOf(Asked, Build);
    Units.StructNames.clear();
    Units.Paths.clear();
    SeeingUnits Seen = unitsThatSee(Units, Path);
    Found.insert(Seen.Units.begin(), Seen.Units.end());
  }
  return Found;
}

llvm::Error Reviewer::select() {
  for (const std::string &Build : buildsOf(Asked.Units)) {
    DatabaseOptions Units = unitsOf(Asked, Build);
    Units.StructNames.clear();
    Units.SomePaths = true;
    if (Units.Paths.empty())
      for (const std::string &Path : pathsFor(Changed))
        Units.Paths.push_back(absolutePath(Root, Path));
    else
      Units.Missed = [&](const std::string &Why) { Asked.Tell.warn(Why); };
    auto List = loadUnits(Units);
    if (!List && Asked.Units.Paths.empty()) {
      // A database without dependencies does not know who reads a header.
      auto Seeing = unitsSeeing(Build);
      Units.Paths.clear();
      Units.WholeTree = true;
      if (!Seeing.empty()) {
        llvm::consumeError(List.takeError());
        List = loadUnits(Units);
        if (List)
          llvm::erase_if(List->Units, [&](const CompileUnit &Unit) {
            return !Seeing.contains(Unit.Relative);
          });
      }
    }
    if (!List) {
      std::string Why = llvm::toString(List.takeError());
      if (!Asked.Units.Paths.empty())
        return mistake(Why);
      // Files that no unit of this configuration reads.
      Report.Notes.push_back((Build.empty() ? "" : Build + ": ") + Why);
      continue;
    }
    for (const std::string &Note : List->Notes)
      Asked.Tell.note("note: " + Note);
    if (List->Units.empty())
      continue;
    Lists.push_back(std::move(*List));
    Builds.push_back(Build);
  }
  return llvm::Error::success();
}

/// Which of the selected units see what changed: by the dependencies of the
/// build, or else by their #include lines.
void Reviewer::findSeeing() {
  for (size_t B = 0; B != Lists.size(); ++B) {
    std::set<std::string> All, Code;
    for (const CodeChange &File : Changed) {
      const std::string Path = absolutePath(Root, File.Name);
      auto Add = [&](const std::string &Unit) {
        All.insert(Unit);
        if (!File.MembersOnly)
          Code.insert(Unit);
      };
      for (const CompileUnit &Unit : Lists[B].Units)
        if (Unit.File == Path)
          Add(Unit.File);
      if (llvm::StringRef(Path).ends_with(".c") || !llvm::sys::fs::exists(Path))
        continue;
      DatabaseOptions Units = unitsOf(Asked, Builds[B]);
      Units.StructNames.clear();
      Units.SomePaths = true;
      Units.Paths = {Path};
      auto List = loadUnits(Units);
      if (List) {
        for (const CompileUnit &Unit : List->Units)
          Add(Unit.File);
        continue;
      }
      llvm::consumeError(List.takeError());
      Units.Paths.clear();
      const SeeingUnits Seen = unitsThatSee(Units, Path);
      for (const CompileUnit &Unit : Lists[B].Units)
        if (llvm::is_contained(Seen.Units, Unit.Relative))
          Add(Unit.File);
    }
    // A header is seen by more than what was selected.
    std::set<std::string> Selected;
    for (const CompileUnit &Unit : Lists[B].Units)
      Selected.insert(Unit.File);
    for (std::set<std::string> *Some : {&All, &Code})
      std::erase_if(*Some, [&](const std::string &Unit) {
        return !Selected.contains(Unit);
      });
    Seeing.push_back(std::move(All));
    SeeingCode.push_back(std::move(Code));
  }
}

RunOptions Reviewer::options(const FileOverlay &Over,
                             const std::string &Tag) const {
  RunOptions Run = runOptions(Asked, Root);
  Run.Cache.ToolId += Tag;
  Run.Cache.Over = &Over;
  return Run;
}

llvm::Expected<Configs> Reviewer::collectHead() {
  AnalyzeRequest Request = Asked;
  Request.Units.BuildDirs = Builds;
  if (Builds.size() == 1 && Builds.front().empty())
    Request.Units.BuildDirs.clear();
  Request.Run.Cache.Over = &Head;
  return Configs::collect(Request, Lists, /*Apart=*/true);
}

/// What tells a record from others, whatever its fields.
using RecordPlace = std::tuple<std::string, std::string, uint32_t>;

RecordPlace placeOf(const Program &Whole, RecordId Id) {
  const RecordFact &Fact = Whole.recordFact(Id);
  return {Whole.recordName(Id), Whole.recordText(Id, Fact.File), Fact.Line};
}

/// Whether the bounds of arrays in this text may be sizes of other records.
bool hasComputedBound(llvm::StringRef Text) {
  for (size_t Open = Text.find('['); Open != llvm::StringRef::npos;
       Open = Text.find('[', Open + 1)) {
    const llvm::StringRef Bound = Text.slice(Open + 1, Text.find(']', Open));
    if (Bound.contains('(') || Bound.contains("sizeof"))
      return true;
  }
  return false;
}

/// Records that a change of nothing but members may lay out otherwise: those in
/// the changed files, those that hold such a record by value, and those whose
/// array bounds are computed.
std::set<RecordPlace> Reviewer::affectedRecords(const Program &Whole) const {
  std::set<std::string> Files;
  for (const CodeChange &File : Changed)
    Files.insert(File.Name);
  std::map<std::string, std::vector<std::string>> Texts;
  auto Definition = [&](const std::string &File, const RecordFact &Fact) {
    auto [It, New] = Texts.try_emplace(File);
    if (New) {
      llvm::SmallVector<llvm::StringRef, 0> Lines;
      const std::string Text = headText(File);
      llvm::StringRef(Text).split(Lines, '\n');
      It->second.assign(Lines.begin(), Lines.end());
    }
    std::string Text;
    for (size_t L = Fact.Line; L <= Fact.EndLine && L <= It->second.size(); ++L)
      Text += It->second[L - 1] + "\n";
    return Text;
  };
  std::vector<bool> Affected(Whole.recordCount());
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id) {
    const RecordFact &Fact = Whole.recordFact(Id);
    const std::string &File = Whole.recordText(Id, Fact.File);
    Affected[Id] =
        Files.contains(File) || hasComputedBound(Definition(File, Fact));
  }
  for (bool More = true; std::exchange(More, false);)
    for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
      for (uint32_t F = 0;
           !Affected[Id] && F != Whole.recordFact(Id).Fields.size(); ++F)
        if (const RecordId Held = Whole.embedded(Id, F);
            Held != None && Affected[Held])
          Affected[Id] = More = true;
  std::set<RecordPlace> Places;
  for (RecordId Id = 0; Id != Whole.recordCount(); ++Id)
    if (Affected[Id])
      Places.insert(placeOf(Whole, Id));
  return Places;
}

/// Units that together have all records of units that see the change, or those
/// of them that `Only` names.
std::vector<size_t> covering(const Config &In,
                             const std::set<std::string> &Seeing,
                             const std::set<RecordPlace> *Only) {
  using Place = std::pair<RecordPlace, uint64_t>;
  std::vector<std::pair<size_t, std::vector<Place>>> Units;
  for (size_t U = 0; U != In.Session.Units.size(); ++U) {
    if (!Seeing.contains(In.Session.Commands[U].File))
      continue;
    const TuFacts &Facts = In.Session.Units[U];
    std::vector<Place> Records;
    for (const RecordFact &Record : Facts.Records) {
      RecordPlace Where(Facts.Strings[Record.Name], Facts.Strings[Record.File],
                        Record.Line);
      if (!Only || Only->contains(Where))
        Records.push_back({std::move(Where), Record.SizeBytes});
    }
    Units.push_back({U, std::move(Records)});
  }
  std::ranges::stable_sort(Units, [](const auto &A, const auto &B) {
    return A.second.size() > B.second.size();
  });
  std::set<Place> Known;
  std::vector<size_t> Chosen;
  for (const auto &[U, Records] : Units) {
    const size_t Before = Known.size();
    Known.insert(Records.begin(), Records.end());
    if (Known.size() != Before)
      Chosen.push_back(U);
  }
  return Chosen;
}

llvm::Expected<BaseRecords> Reviewer::recordsOfBase(size_t Build,
                                                    const Config &In) {
  std::vector<RunUnit> Units;
  // What else stands in a header may change any record that comes behind it.
  const bool Few = llvm::all_of(Changed, [](const CodeChange &File) {
    return File.MembersOnly || llvm::StringRef(File.Name).ends_with(".c");
  });
  std::set<RecordPlace> Affected;
  if (Few)
    Affected = affectedRecords(*In.Whole);
  for (size_t U : covering(In, Seeing[Build], Few ? &Affected : nullptr))
    Units.push_back(In.Session.Commands[U]);
  auto Extract = [&](const RunUnit &Unit,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
    ExtractRequest Request;
    Request.SourceRoot = In.Session.SourceRoot;
    Request.Directory = Unit.Directory;
    Request.Args = Unit.Args;
    return declaredFacts(Request, std::move(Files));
  };
  BaseRecords Found;
  size_t Failed = 0;
  std::string Why;
  RunStatistics Ran =
      runUnits(Units, Extract, options(Base, " declarations"),
               [&](size_t Index, UnitOutcome Outcome) {
                 if (Outcome.Facts)
                   Found.Units.push_back(std::move(*Outcome.Facts));
                 else {
                   ++Failed;
                   Why = Units[Index].Relative + ": " + Outcome.Reason;
                 }
               });
  if (Ran.Interrupted)
    return interrupted();
  if (Failed)
    Report.Notes.push_back(counted(Failed, "unit") + " of " + Report.Base +
                           " could not be parsed: " + Why);
  Found.Whole = std::make_unique<Program>(Found.Units);
  return Found;
}

llvm::Expected<std::vector<TuFacts>> Reviewer::codeOfBase(size_t Build) {
  std::vector<RunUnit> Units;
  for (const CompileUnit &Unit : Lists[Build].Units)
    if (SeeingCode[Build].contains(Unit.File))
      Units.push_back(runUnit(Unit));
  std::vector<TuFacts> Found;
  RunStatistics Ran =
      runUnits(Units, makeExtractor(Root, Asked.Plain), options(Base, ""),
               [&](size_t, UnitOutcome Outcome) {
                 if (Outcome.Facts)
                   Found.push_back(std::move(*Outcome.Facts));
               });
  if (Ran.Interrupted)
    return interrupted();
  return Found;
}

std::string Reviewer::headText(const std::string &Relative) const {
  const std::string Path = absolutePath(Root, Relative);
  if (const FileOverlay::File *File = Head.find(Path))
    return File->Text.value_or("");
  return textIfThere(Path).value_or("");
}

/// The record of the base that became this one; null: it is new.
std::optional<RecordInfo> counterpart(const Program &Base,
                                      const RecordInfo &Record,
                                      const Program &Head) {
  std::optional<RecordInfo> Elsewhere;
  for (RecordId Id : Base.recordsNamed(Record.Name)) {
    RecordInfo Was = Base.recordInfo(Id);
    if (Was.Union != Record.Union)
      continue;
    if (Was.File == Record.File)
      return Was;
    Elsewhere = std::move(Was);
  }
  if (Elsewhere)
    return Elsewhere;
  // Under another name: in the same file, with the same fields, and gone.
  for (RecordId Id = 0; Id != Base.recordCount(); ++Id) {
    const RecordFact &Fact = Base.recordFact(Id);
    if (Base.recordText(Id, Fact.File) != Record.File ||
        Fact.Fields.size() != Record.Fields.size() || !Fact.Fields.size())
      continue;
    RecordInfo Was = Base.recordInfo(Id);
    if (Was.Union == Record.Union && Head.recordsNamed(Was.Name).empty() &&
        std::ranges::equal(Was.Fields, Record.Fields, {}, &FieldInfo::Name,
                           &FieldInfo::Name))
      return Was;
  }
  return std::nullopt;
}

/// The fields by which alone the records differ, if these only hold what
/// changed; empty: the definition itself did.
std::vector<std::string> changedWithin(const RecordInfo &Base,
                                       const RecordInfo &Head) {
  if (!std::ranges::equal(
          Base.Fields, Head.Fields, [](const FieldInfo &A, const FieldInfo &B) {
            return A.Name == B.Name &&
                   A.ExplicitAlignBytes == B.ExplicitAlignBytes &&
                   (A.TypeName == B.TypeName || A.Anonymous);
          }))
    return {};
  std::vector<std::string> Names;
  for (size_t F = 0; F != Base.Fields.size(); ++F)
    if (Base.Fields[F].SizeBits != Head.Fields[F].SizeBits ||
        Base.Fields[F].AlignBytes != Head.Fields[F].AlignBytes)
      Names.push_back(Head.Fields[F].Name);
  return Names;
}

llvm::Error Reviewer::reviewConfig(size_t Build, const Configs &All) {
  const Config &In = *All.each()[Build];
  auto Was = recordsOfBase(Build, In);
  if (!Was)
    return Was.takeError();
  std::map<std::string, std::vector<AddedWrite>> Added;
  if (!SeeingCode[Build].empty()) {
    auto Code = codeOfBase(Build);
    if (!Code)
      return Code.takeError();
    std::vector<const TuFacts *> Before, After;
    std::set<std::string> Files;
    for (const TuFacts &Unit : *Code) {
      Before.push_back(&Unit);
      Files.insert(Unit.Strings[Unit.MainFile]);
    }
    for (const TuFacts &Unit : In.Session.Units)
      if (Files.contains(Unit.Strings[Unit.MainFile]))
        After.push_back(&Unit);
    Added = addedWrites(Before, After);
  }
  double Calls = 0;
  for (double Total : In.Often->Often.Total)
    Calls += Total;
  for (RecordId Id = 0; Id != In.Whole->recordCount(); ++Id) {
    const std::string &Name = In.Whole->recordName(Id);
    if (Name.empty() || Name.find(" at ") != std::string::npos)
      continue;
    const RecordInfo Record = In.Whole->recordInfo(Id);
    if (!asksFor(Asked.Structs, Record))
      continue;
    auto Writes = Added.find(Name);
    // Records that no parsed unit of the base has did not change.
    std::optional<RecordInfo> Before =
        counterpart(*Was->Whole, Record, *In.Whole);
    if (!Before && Writes == Added.end())
      continue;
    if (!Before)
      Before = Record;
    const bool Same = sameLayout(*Before, Record);
    if (Same && Writes == Added.end())
      continue;
    StructVersions Versions;
    Versions.Config = In.Name;
    Versions.Triple = In.Triple;
    Versions.Base = &*Before;
    Versions.Calls = Calls;
    Versions.Layout = Asked.Layout;
    Versions.Layout.Rules = rulesOfText(headText(Record.File), Record);
    if (!Same)
      Versions.Through = changedWithin(*Before, Record);
    if (Writes != Added.end())
      Versions.Added = Writes->second;
    StructRequest Request;
    Request.Name = RecordSpelling{Name, Record.File, Record.Line}.text();
    auto Evidence = All.evidenceOf(In, Request);
    if (!Evidence) {
      Report.Notes.push_back(Name + ": " + Evidence.error());
      continue;
    }
    Versions.Head = &*Evidence;
    ReviewedStruct Reviewed = reviewStruct(Versions, Asked.Review);
    llvm::append_range(
        Reviewed.Findings,
        failedAsserts(In, *Before, Evidence->Record,
                      [&](const std::string &File) { return headText(File); }));
    for (Finding &One : Reviewed.Findings)
      if (One.Config.empty())
        One.Config = {In.Name};
    llvm::append_range(Report.Findings, std::move(Reviewed.Findings));
    if (!Same)
      Report.Structs.push_back(std::move(Reviewed.Change));
  }
  return llvm::Error::success();
}

llvm::Expected<ReviewReport> Reviewer::run() {
  Report.Tool = thisTool();
  auto Silent = readSuppressions(Asked.Suppressions);
  if (!Silent)
    return Silent.takeError();
  if (llvm::Error E = readTheChange())
    return E;
  for (const CodeChange &File : Changed)
    Report.ChangedFiles.push_back(File.Name);
  if (!Changed.empty()) {
    if (llvm::Error E = select())
      return E;
    if (!Lists.empty()) {
      if (Lists.front().SourceRoot != Root)
        return mistake("the build directory is about " +
                       Lists.front().SourceRoot + ", not " + Root);
      findSeeing();
      auto All = collectHead();
      if (!All)
        return All.takeError();
      for (size_t B = 0; B != Lists.size(); ++B) {
        Report.Configs.push_back(All->each()[B]->Name);
        Report.UnitsLooked += All->each()[B]->Session.Covered.UnitsParsed;
        Report.UnitsChanged += Seeing[B].size();
        const Coverage &Covered = All->each()[B]->Session.Covered;
        if (!Covered.UnitsFailed.empty())
          Report.Notes.push_back(
              All->each()[B]->Name + ": of the head " +
              failureSummary(Covered.UnitsFailed, Covered.UnitsSelected));
        if (llvm::Error E = reviewConfig(B, *All))
          return E;
      }
    }
  }
  mergeFindings(Report);
  std::ranges::stable_sort(Report.Structs,
                           [](const StructChange &A, const StructChange &B) {
                             return std::tuple(!A.Through.empty(), A.Name) <
                                    std::tuple(!B.Through.empty(), B.Name);
                           });
  if (llvm::Error E = suppress(*Silent, Report))
    return E;
  return std::move(Report);
}

} // namespace

llvm::Expected<ReviewReport> reviewChange(const ReviewRequest &Asked) {
  return Reviewer(Asked).run();
}

} // namespace kst
