// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/Selection.h"

#include "analyzer/compile/StructScan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>
#include <tuple>

using namespace llvm;

namespace kst {
namespace {

/// Up to this many units are parsed even if their text shows no definition.
constexpr size_t ShortList = 64;

bool isOtherMode(const BuildEntry &Entry, bool Is64Bit) {
  auto Has = [&](StringRef Flag) {
    return is_contained(Entry.Command.Args, Flag) ||
           StringRef(Entry.Line).contains((" " + Flag + " ").str());
  };
  return Has("-m16") || (Is64Bit && Has("-m32"));
}

/// Removes the entries for which Unwanted holds, unless that is all of them.
template <typename Predicate>
void prefer(std::vector<BuildEntry> &Entries, Predicate Unwanted,
            const char *Reason, std::map<std::string, uint64_t> &Skipped) {
  size_t Count = count_if(Entries, Unwanted);
  if (Count == 0 || Count == Entries.size())
    return;
  erase_if(Entries, Unwanted);
  Skipped[Reason] += Count;
}

std::vector<std::string> concatenated(std::vector<std::string> First,
                                      const std::vector<std::string> &Second) {
  First.insert(First.end(), Second.begin(), Second.end());
  return First;
}

/// Numbers of the dependencies of Entries whose text defines one of Structs, or
/// the record for which a typedef of one stands.
std::set<uint32_t> definingFiles(const std::set<uint32_t> &Files,
                                 const std::vector<std::string> &Structs,
                                 const FileNames &Names) {
  std::set<uint32_t> Out;
  std::vector<std::string> Tags;
  for (uint32_t File : Files) {
    auto Buffer = readRegularFile(Names.name(File));
    if (!Buffer) {
      consumeError(Buffer.takeError());
      continue;
    }
    StringRef Text = (*Buffer)->getBuffer();
    if (any_of(Structs,
               [&](StringRef Name) { return definesStruct(Text, Name); }))
      Out.insert(File);
    for (const std::string &Name : Structs)
      for (const ScannedTypedef &Typedef : typedefsOf(Text, Name))
        if (!is_contained(Structs, Typedef.Tag))
          Tags.push_back(Typedef.Tag);
  }
  if (!Tags.empty()) // each is known then
    Out.merge(definingFiles(Files, concatenated(Structs, Tags), Names));
  return Out;
}

/// The known tag nearest to Wanted, or "".
std::string nearestStruct(const std::set<uint32_t> &Files, StringRef Wanted,
                          const FileNames &Names) {
  std::set<std::string> Tags;
  for (uint32_t File : Files) {
    auto Buffer = readRegularFile(Names.name(File));
    if (!Buffer)
      consumeError(Buffer.takeError());
    else
      collectStructs((*Buffer)->getBuffer(), Tags);
  }
  std::string Best;
  unsigned Limit = std::max<unsigned>(2, Wanted.size() / 3);
  for (const std::string &Tag : Tags) {
    unsigned Distance = Wanted.edit_distance(Tag, true, Limit);
    if (Distance < Limit || (Distance == Limit && Best.empty())) {
      Best = Tag;
      Limit = Distance;
    }
  }
  return Best;
}

} // namespace

Expected<SelectedPath> resolvePath(StringRef Given, const SourceTree &Tree,
                                   StringRef Cwd) {
  for (StringRef Base :
       {Cwd, StringRef(Tree.SourceRoot), StringRef(Tree.ObjectRoot)}) {
    SelectedPath Path;
    Path.Given = Given.str();
    Path.Absolute = realPath(Base, Given);
    sys::fs::file_status Status;
    if (sys::fs::status(Path.Absolute, Status) ||
        Status.type() == sys::fs::file_type::file_not_found)
      continue;
    Path.Directory = Status.type() == sys::fs::file_type::directory_file;
    if (!Path.Directory && Status.type() != sys::fs::file_type::regular_file)
      return createStringError(std::errc::invalid_argument,
                               "%s is neither a directory nor a regular file",
                               Path.Given.c_str());
    Path.All = isBelow(Tree.SourceRoot, Path.Absolute) ||
               (Tree.Kernel && Path.Absolute == Tree.ObjectRoot);
    Path.Relative = Path.All ? "" : Tree.relative(Path.Absolute);
    return Path;
  }
  return createStringError(std::errc::no_such_file_or_directory,
                           "%s: no such file or directory",
                           Given.str().c_str());
}

bool isUnder(const BuildEntry &Entry, const SelectedPath &Path,
             const SourceTree &Tree) {
  if (Path.All)
    return true;
  if (!Path.Directory)
    return Entry.source() == Path.Absolute;
  return isBelow(Entry.source(), Path.Absolute) ||
         isBelow(Tree.relative(Entry.source()), Path.Relative) ||
         (Tree.Kernel && !Entry.Command.Object.empty() &&
          isBelow(Tree.relative(Entry.Command.Object), Path.Relative));
}

bool dependsOn(const BuildEntry &Entry, const SelectedPath &Path,
               const FileNames &Names, const SourceTree &Tree) {
  for (const std::string &Root : {Tree.SourceRoot, Tree.ObjectRoot}) {
    auto Number = Names.find(absolutePath(Root, Path.Relative));
    if (Number && std::ranges::binary_search(Entry.Deps, *Number))
      return true;
  }
  if (Tree.Kernel)
    return false;
  // The same file under a name that leads through a link.
  return any_of(Entry.Deps, [&](uint32_t Number) {
    StringRef Name = Names.name(Number);
    return sys::path::filename(Name) == sys::path::filename(Path.Absolute)
               ? realPath("/", Name) == Path.Absolute
               : sys::fs::is_symlink_file(Name) &&
                     realPath("/", Name) == Path.Absolute;
  });
}

void canonicalise(std::vector<BuildEntry> &Entries, const SourceTree &Tree,
                  bool Is64Bit, std::map<std::string, uint64_t> &Skipped) {
  if (Tree.Kernel) {
    prefer(
        Entries, [](const BuildEntry &E) { return !E.Kernel; },
        "host program of the build", Skipped);
    prefer(
        Entries, [&](const BuildEntry &E) { return isOtherMode(E, Is64Bit); },
        "code for another machine mode (-m16, -m32)", Skipped);
  }
  auto Key = [](const BuildEntry &E) {
    bool Foreign =
        sys::path::stem(E.Command.Object) != sys::path::stem(E.Command.File);
    return std::make_tuple(StringRef(E.Command.File), Foreign,
                           StringRef(E.Command.Object), StringRef(E.Line));
  };
  sort(Entries, [&](const BuildEntry &A, const BuildEntry &B) {
    if (Key(A) != Key(B))
      return Key(A) < Key(B);
    return A.Command.Args < B.Command.Args;
  });
}

Expected<size_t> excludeEntries(std::vector<BuildEntry> &Entries,
                                StringRef Given, const SourceTree &Tree,
                                StringRef Cwd) {
  const size_t Before = Entries.size();
  auto Context = [&](Error E) {
    return createStringError(std::errc::invalid_argument, "--exclude %s: %s",
                             Given.str().c_str(),
                             toString(std::move(E)).c_str());
  };
  if (Given.find_first_of("*?[") == StringRef::npos) {
    auto Path = resolvePath(Given, Tree, Cwd);
    if (!Path)
      return createStringError(std::errc::invalid_argument, "--exclude %s",
                               toString(Path.takeError()).c_str());
    erase_if(Entries, [&](const BuildEntry &Entry) {
      return isUnder(Entry, *Path, Tree);
    });
    return Before - Entries.size();
  }
  auto Pattern = GlobPattern::create(Given);
  if (!Pattern)
    return Context(Pattern.takeError());
  const bool Whole = Given.contains('/');
  erase_if(Entries, [&](const BuildEntry &Entry) {
    std::string Name = Tree.relative(Entry.source());
    return Pattern->match(Whole ? StringRef(Name) : sys::path::filename(Name));
  });
  return Before - Entries.size();
}

Error keepDefining(std::vector<BuildEntry> &Entries,
                   const std::vector<std::string> &Structs,
                   const FileNames &Names,
                   std::map<std::string, uint64_t> &Skipped) {
  std::set<uint32_t> Files;
  for (const BuildEntry &Entry : Entries)
    Files.insert(Entry.Deps.begin(), Entry.Deps.end());
  std::set<uint32_t> Defining = definingFiles(Files, Structs, Names);
  bool AnyBlind =
      any_of(Entries, [](const BuildEntry &E) { return !E.DepsKnown; });
  if (Defining.empty()) {
    if (AnyBlind || Entries.size() <= ShortList)
      return Error::success();
    std::string Near = nearestStruct(Files, Structs.front(), Names);
    return createStringError(
        std::errc::invalid_argument,
        "no file that the %zu selected units read defines struct %s%s%s%s",
        Entries.size(), Structs.front().c_str(),
        Near.empty() ? "" : "; did you mean ", Near.c_str(),
        Near.empty() ? "" : "?");
  }
  size_t Before = Entries.size();
  erase_if(Entries, [&](const BuildEntry &Entry) {
    return Entry.DepsKnown && none_of(Entry.Deps, [&](uint32_t File) {
             return Defining.count(File) != 0;
           });
  });
  if (Before != Entries.size())
    Skipped["cannot see the definition of the struct"] +=
        Before - Entries.size();
  return Error::success();
}

} // namespace kst
