// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/IncludeClosure.h"

#include "analyzer/compile/IncludeLines.h"
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
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

using Directories = std::vector<std::string>;

/// Files and what they include. The directories that all units begin their
/// search with settle most includes once; what is left depends on the unit.
class Closure {
public:
  Closure(Directories Common, FileNames &Names)
      : Common(std::move(Common)), Names(Names) {}

  /// Search: of the unit; begins with the common directories.
  std::vector<uint32_t> of(const std::string &Source,
                           const HeaderSearch &Search);

private:
  struct File {
    std::vector<uint32_t> Settled;
    std::vector<StringRef> Open; ///< names that no common directory has
  };
  using NamedFiles = StringMap<std::optional<uint32_t>>;

  std::optional<uint32_t> find(const std::string &Path);
  std::optional<uint32_t> in(ArrayRef<std::string> Where, StringRef Name);
  const File &file(uint32_t Number);
  void enter(uint32_t Number);

  Directories Common;
  FileNames &Names;
  StringMap<std::optional<uint32_t>> Known; ///< by absolute path
  NamedFiles InCommon;
  std::map<Directories, NamedFiles> InOthers;
  DenseMap<uint32_t, std::unique_ptr<File>> Files;
  StringSet<> Kept; ///< what File::Open refers to
  SmallVector<uint32_t, 0> Pending;
  std::vector<uint32_t> Found;
  DenseMap<uint32_t, unsigned> Seen; ///< in which round
  unsigned Round = 0;
};

std::optional<uint32_t> Closure::find(const std::string &Path) {
  auto [It, New] = Known.try_emplace(Path, std::nullopt);
  if (New && sys::fs::is_regular_file(Path))
    It->second = Names.number(Path);
  return It->second;
}

std::optional<uint32_t> Closure::in(ArrayRef<std::string> Where,
                                    StringRef Name) {
  for (const std::string &Directory : Where)
    if (auto Number = find(absolutePath(Directory, Name)))
      return Number;
  return std::nullopt;
}

const Closure::File &Closure::file(uint32_t Number) {
  auto [It, New] = Files.try_emplace(Number);
  if (!New)
    return *It->second;
  auto Made = std::make_unique<File>();
  const std::string Path = Names.name(Number);
  if (auto Text = readRegularFile(Path)) {
    const StringRef Here = sys::path::parent_path(Path);
    for (const IncludeLine &Line : includeLines((*Text)->getBuffer())) {
      std::optional<uint32_t> Target;
      if (Line.Quoted)
        Target = find(absolutePath(Here, Line.Name));
      if (!Target) {
        auto [Entry, First] = InCommon.try_emplace(Line.Name, std::nullopt);
        if (First)
          Entry->second = in(Common, Line.Name);
        Target = Entry->second;
      }
      if (Target)
        Made->Settled.push_back(*Target);
      else
        Made->Open.push_back(Kept.insert(Line.Name).first->getKey());
    }
  } else
    consumeError(Text.takeError());
  return *(Files[Number] = std::move(Made));
}

void Closure::enter(uint32_t Number) {
  unsigned &Last = Seen[Number];
  if (Last == Round)
    return;
  Last = Round;
  Pending.push_back(Number);
  Found.push_back(Number);
}

std::vector<uint32_t> Closure::of(const std::string &Source,
                                  const HeaderSearch &Search) {
  ++Round;
  Found.clear();
  const Directories Rest(Search.Directories.begin() + Common.size(),
                         Search.Directories.end());
  NamedFiles &Others = InOthers[Rest];
  for (const std::string &Path : Search.Forced)
    if (auto Number = find(Path))
      enter(*Number);
  if (auto Number = find(Source))
    enter(*Number);
  while (!Pending.empty()) {
    const File &From = file(Pending.pop_back_val());
    for (uint32_t Target : From.Settled)
      enter(Target);
    for (StringRef Name : From.Open) {
      auto [It, New] = Others.try_emplace(Name, std::nullopt);
      if (New)
        It->second = in(Rest, Name);
      if (It->second)
        enter(*It->second);
    }
  }
  llvm::sort(Found);
  return Found;
}

/// The directories with which all of the searches begin.
Directories commonBeginning(ArrayRef<HeaderSearch> All) {
  Directories Common = All.front().Directories;
  for (const HeaderSearch &Search : All) {
    size_t Same = 0;
    while (Same < Common.size() && Same < Search.Directories.size() &&
           Common[Same] == Search.Directories[Same])
      ++Same;
    Common.resize(Same);
  }
  return Common;
}

} // namespace

void guessDependencies(MutableArrayRef<BuildEntry> Entries, FileNames &Names) {
  std::vector<BuildEntry *> Blind;
  std::vector<HeaderSearch> Searches;
  for (BuildEntry &Entry : Entries)
    if (!Entry.DepsKnown && !Entry.Command.Args.empty()) {
      Blind.push_back(&Entry);
      Searches.push_back(
          headerSearch(Entry.Command.Args, Entry.Command.Directory));
    }
  if (Blind.empty())
    return;
  Closure All(commonBeginning(Searches), Names);
  for (size_t I = 0; I != Blind.size(); ++I) {
    Blind[I]->Deps = All.of(Blind[I]->Command.File, Searches[I]);
    Blind[I]->DepsKnown = Blind[I]->DepsGuessed = true;
  }
}

} // namespace kst
