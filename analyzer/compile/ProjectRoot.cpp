// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ProjectRoot.h"

#include "analyzer/compile/CompilerWords.h"
#include "analyzer/compile/IncludeLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <map>
#include <set>

using namespace llvm;

namespace kst {
namespace {

constexpr const char *RepositoryMarks[] = {
    ".git", ".hg",    ".svn",   ".bzr",     ".jj",
    "CVS",  "_darcs", ".pijul", "_FOSSIL_", ".fslckout"};

bool isCeiling(StringRef Dir) {
  const char *Listed = std::getenv("GIT_CEILING_DIRECTORIES");
  SmallVector<StringRef, 4> Ceilings;
  StringRef(Listed ? Listed : "").split(Ceilings, ':', -1, /*KeepEmpty=*/false);
  return any_of(Ceilings, [&](StringRef Ceiling) {
    return realPath("/", Ceiling) == Dir;
  });
}

std::string textOf(StringRef Dir, StringRef Name) {
  const std::string Path = absolutePath(Dir, Name);
  if (!sys::fs::is_regular_file(Path))
    return "";
  auto Text = MemoryBuffer::getFile(Path);
  return Text ? (*Text)->getBuffer().str() : "";
}

/// The source directory of which CMake or Meson made this build directory.
std::string notedSource(StringRef BuildDir) {
  const std::string Cache = textOf(BuildDir, "CMakeCache.txt");
  StringRef Rest = Cache;
  while (!Rest.empty()) {
    auto [Line, More] = Rest.split('\n');
    Rest = More;
    if (Line.consume_front("CMAKE_HOME_DIRECTORY:INTERNAL="))
      return Line.trim().str();
  }
  auto Info = json::parse(textOf(BuildDir, "meson-info/meson-info.json"));
  if (!Info) {
    consumeError(Info.takeError());
    return "";
  }
  const json::Object *Root = Info->getAsObject();
  const json::Object *Dirs = Root ? Root->getObject("directories") : nullptr;
  return Dirs ? Dirs->getString("source").value_or("").str() : "";
}

bool isBuildDir(StringRef Dir) {
  return any_of(ArrayRef{"CMakeCache.txt", "meson-private"},
                [&](const char *Name) {
                  return sys::fs::exists(absolutePath(Dir, Name));
                });
}

/// "/" where nothing else is common.
std::string commonDirectory(StringRef A, StringRef B) {
  while (!isBelow(B, A))
    A = sys::path::parent_path(A);
  return A.str();
}

std::string commonDirectory(const std::set<std::string> &Dirs) {
  std::string Common;
  for (const std::string &Dir : Dirs)
    Common = Common.empty() ? Dir : commonDirectory(Common, Dir);
  return Common;
}

/// Physical directories, how many of the files lie in each.
std::map<std::string, size_t> directoriesOf(ArrayRef<std::string> Files) {
  std::map<std::string, size_t> Spelled, Real;
  for (const std::string &File : Files)
    ++Spelled[sys::path::parent_path(File).str()];
  for (const auto &[Dir, Count] : Spelled)
    Real[realPath("/", Dir)] += Count;
  return Real;
}

class Finder {
public:
  explicit Finder(const ProjectClues &Clues) : Clues(Clues) {
    Tree.ObjectRoot = Clues.BuildDir;
    addBuildDirs();
    // What the build generated tells where it is built, not of what; but most
    // sources are not generated.
    const auto All = directoriesOf(Clues.Sources);
    size_t Inside = 0, Outside = 0;
    for (const auto &[Dir, Count] : All)
      if (isBelow(Dir, Clues.BuildDir) || isBuilt(Dir))
        Inside += Count;
      else {
        Outside += Count;
        Sources[Dir] += Count;
      }
    Apart = Outside && Outside >= Inside;
    if (!Apart)
      Sources = All;
  }

  Expected<SourceTree> find() {
    Tree.SourceRoot = Clues.Root.empty() ? kernelRoot() : Clues.Root;
    Tree.Kernel = !findSourceRoot(Tree.SourceRoot).empty();
    if (!Tree.Kernel && !Apart)
      takeJoined();
    if (Tree.Kernel ? isObjectRoot(Tree.ObjectRoot) : Apart)
      Tree.BuildDirs.push_back(Tree.ObjectRoot);
    llvm::sort(Tree.BuildDirs);
    if (Tree.SourceRoot.empty())
      Tree.SourceRoot = versionedRoot();
    if (Tree.SourceRoot.empty())
      if (std::string Noted = notedSource(Clues.BuildDir);
          sys::fs::is_directory(Noted))
        Tree.SourceRoot = realPath("/", Noted);
    if (Tree.SourceRoot.empty())
      Tree.SourceRoot = commonRoot();
    if (Tree.SourceRoot == "/" && Clues.Root.empty())
      return createStringError(
          std::errc::invalid_argument,
          "the sources of %s have no directory in common: no root of version "
          "control lies around them; name the top of the project with --root",
          Clues.BuildDir.c_str());
    llvm::erase_if(Tree.BuildDirs, [&](const std::string &Dir) {
      return isBelow(Tree.SourceRoot, Dir); // it is built where it lies
    });
    return std::move(Tree);
  }

private:
  void addBuildDirs() {
    std::set<std::string> Found;
    for (const std::string &Directory : Clues.Directories)
      for (StringRef Dir = Directory; Dir.size() > 1;
           Dir = sys::path::parent_path(Dir))
        if (isBuildDir(Dir)) {
          std::string Built = realPath("/", Dir);
          // What builds this project with others says nothing about it.
          if (Built == Clues.BuildDir || !isBelow(Clues.BuildDir, Built))
            Found.insert(std::move(Built));
          break;
        }
    Tree.BuildDirs.assign(Found.begin(), Found.end());
  }

  bool isBuilt(StringRef Dir) const {
    return any_of(Tree.BuildDirs, [&](const std::string &Built) {
      return isBelow(Dir, Built);
    });
  }

  /// A unity build has sources of its own, which include the others by their
  /// names in full. What is under version control is no such source.
  void takeJoined() {
    if (!repositoryAround(Clues.BuildDir).empty() &&
        llvm::none_of(Clues.Sources, [&](const std::string &Source) {
          return isBuilt(sys::path::parent_path(Source));
        }))
      return;
    std::vector<std::string> Joined;
    for (const std::string &Source : Clues.Sources) {
      const std::string Text = textOf("/", Source);
      for (const IncludeLine &Line : includeLines(Text))
        if (sys::path::is_absolute(Line.Name) && isSourceWord(Line.Name) &&
            !isBelow(Line.Name, Clues.BuildDir) && sys::fs::exists(Line.Name))
          Joined.push_back(Line.Name.str());
    }
    // Most of what is compiled, not a file of somebody else's.
    if (Joined.size() < Clues.Sources.size() || Joined.empty())
      return;
    Sources = directoriesOf(Joined);
    Apart = true;
  }

  std::string kernelRoot() const {
    std::string Link = absolutePath(Tree.ObjectRoot, "source");
    if (sys::fs::is_symlink_file(Link) && sys::fs::is_directory(Link))
      return realPath(Tree.ObjectRoot, "source");
    std::string Root = findSourceRoot(Tree.ObjectRoot);
    if (Root.empty() && !Sources.empty())
      Root = findSourceRoot(Sources.begin()->first);
    // A kernel that is only configured names no source.
    if (Root.empty() && Sources.empty())
      Root = findSourceRoot(Clues.Cwd);
    return Root;
  }

  std::string versionedRoot() const {
    std::map<std::string, size_t> Counts;
    std::set<std::string> Dirs;
    for (const auto &[Dir, Count] : Sources) {
      Dirs.insert(Dir);
      if (std::string Root = repositoryAround(Dir); !Root.empty())
        Counts[Root] += Count;
    }
    if (std::string Common = commonDirectory(Dirs); !Common.empty())
      if (std::string Root = repositoryAround(Common); !Root.empty())
        return Root;
    std::string Best;
    for (const auto &[Root, Count] : Counts)
      if (Best.empty() || Count > Counts[Best])
        Best = Root;
    return Best;
  }

  std::string commonRoot() const {
    std::set<std::string> Dirs, Near{Clues.BuildDir};
    for (const auto &[Dir, Count] : Sources) {
      Dirs.insert(Dir);
      if (commonDirectory(Clues.BuildDir, Dir) != "/")
        Near.insert(Dir);
    }
    // What is compiled from elsewhere, as a library's sources are, is not the
    // project; but it may all be elsewhere.
    return Near.size() > 1 || Dirs.empty() ||
                   Dirs.count(Clues.BuildDir) // that is its one element
               ? commonDirectory(Near)
               : commonDirectory(Dirs);
  }

  const ProjectClues &Clues;
  std::map<std::string, size_t> Sources; ///< physical directories
  bool Apart = false; ///< what is built lies outside of the build directory
  SourceTree Tree;
};

} // namespace

std::string repositoryAround(StringRef Dir) {
  for (; Dir.size() > 1 && !isCeiling(Dir); Dir = sys::path::parent_path(Dir))
    for (const char *Mark : RepositoryMarks)
      if (sys::fs::exists(absolutePath(Dir, Mark)))
        return Dir.str();
  return "";
}

Expected<SourceTree> findProject(const ProjectClues &Clues) {
  return Finder(Clues).find();
}

} // namespace kst
