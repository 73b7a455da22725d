// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/SeeingUnits.h"

#include "analyzer/compile/IncludeLines.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <memory>
#include <optional>

using namespace llvm;

namespace kst {
namespace {

using FileId = uint32_t;

/// All files by their absolute names, with their #include lines.
class Files {
public:
  /// The file, if it is there.
  std::optional<FileId> find(const std::string &Path) {
    auto [It, New] = Ids.try_emplace(Path, std::nullopt);
    if (New && sys::fs::is_regular_file(Path)) {
      It->second = static_cast<FileId>(Paths.size());
      sys::fs::UniqueID Unique;
      if (!sys::fs::getUniqueID(Path, Unique))
        Same[Unique].push_back(*It->second);
      Paths.push_back(Path);
      Texts.emplace_back();
      Lines.emplace_back();
    }
    return It->second;
  }
  const std::string &path(FileId Id) const { return Paths[Id]; }
  /// The file under every name that was found, whichever links lead to it.
  ArrayRef<FileId> names(const std::string &Path) const {
    sys::fs::UniqueID Unique;
    auto It =
        sys::fs::getUniqueID(Path, Unique) ? Same.end() : Same.find(Unique);
    return It == Same.end() ? ArrayRef<FileId>() : ArrayRef(It->second);
  }
  ArrayRef<IncludeLine> includes(FileId Id) {
    if (!Texts[Id]) {
      // What cannot be read includes nothing.
      auto Text = MemoryBuffer::getFile(Paths[Id], /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
      Texts[Id] = Text ? std::move(*Text) : MemoryBuffer::getMemBuffer("");
      Lines[Id] = includeLines(Texts[Id]->getBuffer());
    }
    return Lines[Id];
  }

private:
  StringMap<std::optional<FileId>> Ids;
  std::map<sys::fs::UniqueID, std::vector<FileId>> Same;
  std::vector<std::string> Paths;
  std::vector<std::unique_ptr<MemoryBuffer>> Texts; ///< none: not read yet
  std::vector<std::vector<IncludeLine>> Lines;
};

/// Files that units with one search path reach, and who includes whom.
class Reach {
public:
  Reach(Files &All, const HeaderSearch &Path) : All(All), Path(Path) {
    for (const std::string &File : Path.Forced)
      if (std::optional<FileId> Id = All.find(File))
        Forced.push_back(*Id);
  }

  /// Of the units, those that lead to Target.
  std::vector<bool> seeing(ArrayRef<FileId> Units, FileId Target);

private:
  std::optional<FileId> resolve(const IncludeLine &Line, FileId From);
  void enter(FileId Id) {
    if (Includers.try_emplace(Id).second)
      Pending.push_back(Id);
  }

  Files &All;
  const HeaderSearch &Path;
  std::vector<FileId> Forced, Pending;
  DenseMap<FileId, std::vector<FileId>> Includers;
  StringMap<std::optional<FileId>> Named; ///< looked up in the directories
};

std::optional<FileId> Reach::resolve(const IncludeLine &Line, FileId From) {
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
    for (const IncludeLine &Line : All.includes(From))
      if (std::optional<FileId> To = resolve(Line, From)) {
        enter(*To);
        Includers[*To].push_back(From);
      }
  }
  DenseMap<FileId, bool> Leads;
  append_range(Pending, All.names(All.path(Target)));
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
  std::map<HeaderSearch, std::vector<const CompileUnit *>> Alike;
  for (const CompileUnit &Unit : List->Units)
    if (Unit.SeesFile)
      Found.Units.push_back(Unit.Relative);
    else
      Alike[headerSearch(Unit)].push_back(&Unit);
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
        Found.AtMost |= !is_contained(All.names(File), Ids[I]);
      }
  }
  for (const FailedUnit &Failed : List->Failed)
    if (!Failed.IsGone) {
      Found.Units.push_back(Failed.File);
      Found.AtMost = true;
    }
  llvm::sort(Found.Units);
  return Found;
}

} // namespace kst
