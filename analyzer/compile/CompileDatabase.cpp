// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompileDatabase.h"

#include "analyzer/compile/ConfiguredUnits.h"
#include "analyzer/compile/IncludeClosure.h"
#include "analyzer/compile/OpenBuild.h"
#include "analyzer/compile/Selection.h"
#include "analyzer/compile/UnitMaker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <memory>
#include <optional>
#include <set>
#include <tuple>

using namespace llvm;

namespace kst {
namespace {

Error failure(const Twine &Message) {
  return createStringError(std::errc::invalid_argument, "%s",
                           Message.str().c_str());
}

bool isAssembly(StringRef File) {
  return File.ends_with(".S") || File.ends_with(".s");
}

/// What the options select of one build.
class BuildSelection {
public:
  BuildSelection(const DatabaseOptions &Options, const std::string &Cwd,
                 const std::string &BuildDir, OpenBuild &Build, UnitList &Out)
      : Options(Options), Cwd(Cwd), BuildDir(BuildDir), Build(Build),
        Tree(Build.Tree), Listing(Build.Listing), Out(Out) {}

  Expected<std::vector<BuildEntry>> select() {
    std::vector<BuildEntry> Entries;
    if (Error Why = addPaths(Entries))
      return Why;
    canonicalise(Entries, Tree, Build.Config.holds("CONFIG_64BIT"),
                 Out.Skipped);
    if (Error Why = exclude(Entries))
      return Why;
    if (!Options.StructNames.empty()) {
      loadDependencies(Entries, Names);
      if (Units)
        guessDependencies(Entries, Names);
      if (Error Why =
              keepDefining(Entries, Options.StructNames, Names, Out.Skipped))
        return Why;
    }
    if (!Options.SeenFile.empty()) {
      loadDependencies(Entries, Names);
      SelectedPath File{Options.SeenFile, Options.SeenFile,
                        Tree.relative(Options.SeenFile)};
      llvm::erase_if(Entries, [&](const BuildEntry &Entry) {
        return Entry.DepsKnown && !dependsOn(Entry, File, Names, Tree);
      });
    }
    return Entries;
  }

  BuildInfo info() const {
    return {BuildDir, Tree, origin(), Units ? Units->modelSource() : "",
            Build.make("")};
  }

private:
  Error exclude(std::vector<BuildEntry> &Entries) {
    const size_t Before = Entries.size();
    for (const std::string &Given : Options.Exclude) {
      auto Left = excludeEntries(Entries, Given, Tree, Cwd);
      if (!Left)
        return Left.takeError();
      Out.Excluded[Given] += *Left;
    }
    if (Before && Entries.empty())
      return failure("--exclude leaves none of the " + Twine(Before) +
                     " selected files");
    return Error::success();
  }

  std::vector<std::string> paths() const {
    if (Options.WholeTree)
      return {Tree.SourceRoot};
    if (!Options.Paths.empty())
      return Options.Paths;
    const bool InBuild =
        !Tree.Kernel && Cwd == Tree.ObjectRoot && Tree.isGenerated(Cwd);
    return {InBuild ? Tree.SourceRoot : "."};
  }

  std::string origin() const {
    std::string Text = Listing ? "compile_commands.json" : "";
    for (const std::string &Origin : Origins)
      Text += (Text.empty() ? "" : ", ") + Origin;
    return Text;
  }

  /// What the PATHs select. Those that select nothing are left out and told,
  /// unless none selects anything.
  Error addPaths(std::vector<BuildEntry> &Into) {
    std::vector<SelectedPath> There;
    std::vector<std::string> Missed;
    auto Tell = [&](size_t From) {
      for (size_t I = From; Options.Missed && I < Missed.size(); ++I)
        Options.Missed(Missed[I]);
      return Missed.size();
    };
    for (const std::string &Given : paths()) {
      auto Path = resolvePath(Given, Tree, Cwd);
      if (Path) {
        Out.Selected.push_back(Path->Absolute);
        There.push_back(std::move(*Path));
        continue;
      }
      if (!Options.SomePaths)
        return Path.takeError();
      Missed.push_back(toString(Path.takeError()));
    }
    size_t Told = There.empty() ? 0 : Tell(0), Good = 0;
    for (const SelectedPath &Path : There)
      if (Error Why = addPath(Path, Into)) {
        if (!Options.SomePaths)
          return Why;
        Missed.push_back(toString(std::move(Why)));
      } else
        ++Good;
    if (!Good) {
      Error Wrong = Error::success();
      for (const std::string &Why :
           ArrayRef(Missed).drop_front(Options.Missed ? Told : 0))
        Wrong = joinErrors(std::move(Wrong), failure(Why));
      return Wrong;
    }
    Tell(Told);
    append_range(Out.PathsMissed, Missed);
    return Error::success();
  }

  Error addPath(const SelectedPath &Path, std::vector<BuildEntry> &Into) {
    std::vector<BuildEntry> Found;
    if (Listing) {
      Found = choose(*Listing, Path);
      // The directory of a database stands for what it builds.
      if (Found.empty() && Path.Absolute == Tree.ObjectRoot)
        Found = chooseAll(*Listing);
    } else {
      if (sys::path::is_absolute(Path.Relative))
        return failure(Path.Given + " lies outside of the source tree " +
                       Tree.SourceRoot);
      Found = fromCmdFiles(Path);
    }
    if (!Options.OnlyBuilt && Build.isKernel() &&
        !sys::path::is_absolute(Path.Relative))
      if (Error Why = addUnbuilt(Path, Found))
        return Why;
    if (Found.empty() && !(Listing && !Listing->Failed.empty()))
      return nothingFor(Path);
    move(Found, std::back_inserter(Into));
    return Error::success();
  }

  static std::vector<BuildEntry> chooseAll(const BuildListing &From) {
    std::vector<BuildEntry> Out;
    copy_if(From.Entries, std::back_inserter(Out), [](const BuildEntry &Entry) {
      return !isAssembly(Entry.Command.File);
    });
    return Out;
  }

  /// Entries below Path; else those that depend on it.
  std::vector<BuildEntry> choose(BuildListing &From, const SelectedPath &Path) {
    std::vector<BuildEntry> Out;
    for (const BuildEntry &Entry : From.Entries)
      if (!isAssembly(Entry.Command.File) && isUnder(Entry, Path, Tree))
        Out.push_back(Entry);
    if (!Out.empty() || Path.Directory)
      return Out;
    loadDependencies(From.Entries, Names);
    if (!Tree.Kernel)
      guessDependencies(From.Entries, Names);
    for (const BuildEntry &Entry : From.Entries)
      if (dependsOn(Entry, Path, Names, Tree))
        Out.push_back(Entry);
    return Out;
  }

  std::vector<BuildEntry> fromCmdFiles(const SelectedPath &Path) {
    StringRef Below = Path.Directory ? StringRef(Path.Relative)
                                     : sys::path::parent_path(Path.Relative);
    bool Header = !Path.Directory && !StringRef(Path.Absolute).ends_with(".c");
    std::vector<BuildEntry> Found;
    if (!Header) {
      auto Near =
          readCmdListing(Tree, absolutePath(Tree.ObjectRoot, Below), Names);
      Found = Path.Directory ? std::move(Near.Entries) : choose(Near, Path);
    }
    if (Found.empty() && !Path.Directory) {
      auto All = readCmdListing(Tree, Tree.ObjectRoot, Names);
      Found = choose(All, Path);
    }
    if (!Found.empty())
      Origins.insert("kbuild .cmd files");
    return Found;
  }

  Error openUnits(ArrayRef<BuildEntry> Found) {
    if (Units)
      return Error::success();
    if (std::string Header = Build.unprepared(); !Header.empty())
      return failure(Tree.ObjectRoot + " is configured but not prepared (no " +
                     Header + "); run: " + Build.make("prepare"));
    auto Opened = std::make_unique<ConfiguredUnits>(Tree, Build.Config,
                                                    Options.TemplateFile);
    std::vector<BuildEntry> All;
    if (Listing)
      Found = Listing->Entries;
    else if (Found.empty()) {
      All = readCmdListing(Tree, Tree.ObjectRoot, Names).Entries;
      Found = All;
    }
    if (Error Why = Opened->open(Found))
      return Why;
    Units = std::move(Opened);
    return Error::success();
  }

  /// Adds what the Makefiles would compile and the build has not. Of a kernel
  /// that cannot be told it only matters where nothing was built.
  Error addUnbuilt(const SelectedPath &Path, std::vector<BuildEntry> &Found) {
    if (Error Why = openUnits(Found)) {
      if (!Options.TemplateFile.empty() &&
          (Found.empty() || (Options.WholeTree && !Build.isLinked())))
        return Why;
      std::string Note =
          "only what was built is selected: " + toString(std::move(Why));
      if (!is_contained(Out.Notes, Note))
        Out.Notes.push_back(std::move(Note));
      return Error::success();
    }
    const bool Header =
        !Path.Directory && !StringRef(Path.Absolute).ends_with(".c");
    ConfiguredListing All = Units->list(Header ? "" : Path.Relative);
    StringSet<> Built;
    for (const BuildEntry &Entry : Found)
      Built.insert(Entry.Command.Object);
    if (Header && Listing) // those that read it were taken
      for (const BuildEntry &Entry : Listing->Entries)
        Built.insert(Entry.Command.Object);
    std::vector<BuildEntry> More;
    for (BuildEntry &Entry : All.Entries)
      if (!Built.contains(Entry.Command.Object) &&
          (!Header || Listing || !hasCmdFile(Entry.Command.Object)))
        More.push_back(std::move(Entry));
    if (Header) {
      guessDependencies(More, Names);
      erase_if(More, [&](const BuildEntry &Entry) {
        return !dependsOn(Entry, Path, Names, Tree);
      });
    }
    if (!More.empty())
      Origins.insert(Units->modelSource().empty()
                         ? "compile_commands.template.json"
                         : "kbuild's rules");
    move(More, std::back_inserter(Found));
    if (All.OtherLanguages)
      Out.Skipped["object without a C source"] += All.OtherLanguages;
    for (const std::string &Stem : All.Ungenerated)
      if (!Header)
        Out.Ungenerated.push_back(Stem + ".o");
    return Error::success();
  }

  Error nothingFor(const SelectedPath &Path) const {
    if (Listing)
      return failure("compile_commands.json of " + BuildDir +
                     " has no command for " + Path.Given);
    std::string Target = Path.Relative;
    if (Path.Directory)
      Target += Target.empty() ? "" : "/";
    else
      Target = sys::path::parent_path(Target).str() + "/";
    return failure(
        "nothing to analyse for " + Path.Given + ": " + BuildDir +
        " holds no kbuild .cmd file for it" +
        (Options.OnlyBuilt
             ? ""
             : ", and no Makefile of this configuration compiles it") +
        "; build it first: " + Build.make(Target));
  }

  const DatabaseOptions &Options;
  const std::string &Cwd, &BuildDir;
  OpenBuild &Build;
  const SourceTree &Tree;
  std::optional<BuildListing> &Listing;
  UnitList &Out;
  FileNames Names;
  std::unique_ptr<ConfiguredUnits> Units; ///< once they were wanted
  std::set<std::string> Origins;
};

Error loadBuild(const DatabaseOptions &Options, const std::string &Cwd,
                const std::string &BuildDir, uint32_t Number, UnitList &Out) {
  Expected<OpenBuild> Build = openBuild(Options, Cwd, BuildDir);
  if (!Build)
    return Build.takeError();
  if (Build->Listing)
    append_range(Out.Failed, Build->Listing->Failed);
  BuildSelection Selection(Options, Cwd, BuildDir, *Build, Out);
  auto Entries = Selection.select();
  if (!Entries)
    return Entries.takeError();
  UnitMaker Maker(Options, *Build, Number, Out);
  for (BuildEntry &Entry : *Entries)
    Maker.add(Entry);
  append_range(Out.Notes, Maker.notes());
  Out.Builds.push_back(Selection.info());
  return Error::success();
}

} // namespace

Expected<UnitList> loadUnits(const DatabaseOptions &Options) {
  SmallString<256> Cwd(Options.Cwd);
  if (std::error_code Why = sys::fs::make_absolute(Cwd))
    return createStringError(Why, "current directory: %s",
                             Why.message().c_str());
  std::vector<std::string> Builds = Options.BuildDirs;
  if (Builds.empty())
    Builds.push_back(".");
  UnitList Out;
  for (uint32_t Number = 0; Number < Builds.size(); ++Number)
    if (Error Why =
            loadBuild(Options, realPath(Cwd, "."), Builds[Number], Number, Out))
      return Why;
  // Commands for one file stay in the order of canonicalise().
  llvm::stable_sort(Out.Units, [](const CompileUnit &A, const CompileUnit &B) {
    return std::tie(A.File, A.Build) < std::tie(B.File, B.Build);
  });
  llvm::sort(Out.Failed, [](const FailedUnit &A, const FailedUnit &B) {
    return std::tie(A.File, A.Reason) < std::tie(B.File, B.Reason);
  });
  Out.SourceRoot = Out.Builds.front().Tree.SourceRoot;
  Out.ObjectRoot = Out.Builds.front().Tree.ObjectRoot;
  Out.Origin = Out.Builds.front().Origin;
  return Out;
}

Expected<SourceTree> loadTree(const DatabaseOptions &Options,
                              const std::string &BuildDir) {
  auto Build = openBuild(Options, realPath(Options.Cwd, "."),
                         BuildDir.empty() ? "." : BuildDir);
  if (!Build)
    return Build.takeError();
  return std::move(Build->Tree);
}

} // namespace kst
