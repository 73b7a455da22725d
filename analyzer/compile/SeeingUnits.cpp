// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/SeeingUnits.h"

#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <optional>

using namespace llvm;

namespace kst {
namespace {

using FileId = uint32_t;

/// All files by their absolute names, with their #include lines.
class Files {
public:
  struct Include {
    std::string Name;
    bool Quoted;
  };

  /// The file, if it is there.
  std::optional<FileId> find(const std::string &Path) {
    auto [It, New] = Ids.try_emplace(Path, std::nullopt);
    if (New && sys::fs::is_regular_file(Path)) {
      It->second = static_cast<FileId>(Paths.size());
      Paths.push_back(Path);
      Lines.emplace_back();
    }
    return It->second;
  }
  const std::string &path(FileId Id) const { return Paths[Id]; }
  const std::vector<Include> &includes(FileId Id) {
    if (!Lines[Id])
      Lines[Id] = scan(Paths[Id]);
    return *Lines[Id];
  }

private:
  static std::vector<Include> scan(const std::string &Path);

  StringMap<std::optional<FileId>> Ids;
  std::vector<std::string> Paths;
  std::vector<std::optional<std::vector<Include>>> Lines;
};

std::vector<Files::Include> Files::scan(const std::string &Path) {
  std::vector<Include> Found;
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return Found;
  StringRef Text = (*Buffer)->getBuffer();
  for (size_t At = 0; (At = Text.find('#', At)) != StringRef::npos; ++At) {
    StringRef Before = Text.take_front(At).rtrim(" \t");
    if (!Before.empty() && Before.back() != '\n' && !Before.ends_with("*/"))
      continue;
    StringRef Line = Text.drop_front(At + 1).ltrim(" \t");
    if (!Line.consume_front("include"))
      continue;
    Line.consume_front("_next");
    Line = Line.ltrim(" \t");
    bool Quoted = Line.starts_with("\"");
    if (!Quoted && !Line.starts_with("<"))
      continue;
    Line = Line.drop_front();
    size_t End = Line.find_first_of(Quoted ? "\"\n" : ">\n");
    if (End != StringRef::npos && Line[End] != '\n')
      Found.push_back({Line.take_front(End).str(), Quoted});
  }
  return Found;
}

/// Where a unit looks for files, and what it begins with.
struct SearchPath {
  std::vector<std::string> Directories, Forced;
  bool operator<(const SearchPath &Other) const {
    return std::tie(Directories, Forced) <
           std::tie(Other.Directories, Other.Forced);
  }
};

SearchPath searchPath(const CompileUnit &Unit) {
  SearchPath Path;
  for (size_t I = 0; I + 1 < Unit.Args.size(); ++I) {
    StringRef Arg = Unit.Args[I];
    for (StringRef Name : {"-I", "-isystem", "-iquote", "-idirafter"})
      if (Arg.consume_front(Name)) {
        std::string Directory = absolutePath(
            Unit.Directory, Arg.empty() ? StringRef(Unit.Args[I + 1]) : Arg);
        if (sys::fs::is_directory(Directory))
          Path.Directories.push_back(std::move(Directory));
        break;
      }
    if (Arg == "-include")
      Path.Forced.push_back(absolutePath(Unit.Directory, Unit.Args[I + 1]));
  }
  return Path;
}

/// Files that units with one search path reach, and who includes whom.
class Reach {
public:
  Reach(Files &All, const SearchPath &Path) : All(All), Path(Path) {
    for (const std::string &File : Path.Forced)
      if (std::optional<FileId> Id = All.find(File))
        Forced.push_back(*Id);
  }

  /// Of the units, those that lead to Target.
  std::vector<bool> seeing(ArrayRef<FileId> Units, FileId Target);

private:
  std::optional<FileId> resolve(const Files::Include &Line, FileId From);
  void enter(FileId Id) {
    if (Includers.try_emplace(Id).second)
      Pending.push_back(Id);
  }

  Files &All;
  const SearchPath &Path;
  std::vector<FileId> Forced, Pending;
  DenseMap<FileId, std::vector<FileId>> Includers;
  StringMap<std::optional<FileId>> Named; ///< looked up in the directories
};

std::optional<FileId> Reach::resolve(const Files::Include &Line, FileId From) {
  if (Line.Quoted) {
    StringRef Here = sys::path::parent_path(All.path(From));
    if (auto Id = All.find(absolutePath(Here, Line.Name)))
      return Id;
  }
  auto [It, New] = Named.try_emplace(Line.Name, std::nullopt);
  if (New)
    for (const std::string &Directory : Path.Directories)
      if (auto Id = All.find(absolutePath(Directory, Line.Name))) {
        It->second = Id;
        break;
      }
  return It->second;
}

std::vector<bool> Reach::seeing(ArrayRef<FileId> Units, FileId Target) {
  for (FileId Id : Forced)
    enter(Id);
  for (FileId Id : Units)
    enter(Id);
  while (!Pending.empty()) {
    FileId From = Pending.back();
    Pending.pop_back();
    for (const Files::Include &Line : All.includes(From))
      if (std::optional<FileId> To = resolve(Line, From)) {
        enter(*To);
        Includers[*To].push_back(From);
      }
  }
  DenseMap<FileId, bool> Leads;
  Pending.push_back(Target);
  while (!Pending.empty()) {
    FileId Id = Pending.back();
    Pending.pop_back();
    if (!Leads.try_emplace(Id, true).second)
      continue;
    if (auto It = Includers.find(Id); It != Includers.end())
      append_range(Pending, It->second);
  }
  bool Always = any_of(Forced, [&](FileId Id) { return Leads.count(Id); });
  std::vector<bool> See;
  for (FileId Id : Units)
    See.push_back(Always || Leads.count(Id));
  return See;
}

} // namespace

SeeingUnits unitsThatSee(const DatabaseOptions &Build,
                         const std::string &File) {
  SeeingUnits Found;
  DatabaseOptions Whole = Build;
  Whole.Paths.clear();
  Whole.WholeTree = true;
  Whole.StructNames.clear();
  Whole.SeenFile = File;
  Expected<UnitList> List = loadUnits(Whole);
  if (!List) {
    Found.Unknown = toString(List.takeError());
    return Found;
  }
  Files All;
  std::optional<FileId> Target = All.find(File);
  if (!Target) {
    Found.Unknown = File + ": no such file";
    return Found;
  }
  std::map<SearchPath, std::vector<const CompileUnit *>> Alike;
  for (const CompileUnit &Unit : List->Units)
    if (Unit.SeesFile)
      Found.Units.push_back(Unit.Relative);
    else
      Alike[searchPath(Unit)].push_back(&Unit);
  for (const auto &[Path, Units] : Alike) {
    std::vector<FileId> Ids;
    std::vector<const CompileUnit *> There;
    for (const CompileUnit *Unit : Units)
      if (std::optional<FileId> Id = All.find(Unit->File)) {
        Ids.push_back(*Id);
        There.push_back(Unit);
      }
    std::vector<bool> See = Reach(All, Path).seeing(Ids, *Target);
    for (size_t I = 0; I != There.size(); ++I)
      if (See[I]) {
        Found.Units.push_back(There[I]->Relative);
        Found.AtMost |= Ids[I] != *Target;
      }
  }
  llvm::sort(Found.Units);
  Found.Units.erase(std::unique(Found.Units.begin(), Found.Units.end()),
                    Found.Units.end());
  return Found;
}

} // namespace kst
