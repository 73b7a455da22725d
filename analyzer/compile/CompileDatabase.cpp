// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CompileDatabase.h"

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/CommandReader.h"
#include "analyzer/compile/ConfiguredUnits.h"
#include "analyzer/compile/IncludeClosure.h"
#include "analyzer/compile/MakeCommand.h"
#include "analyzer/compile/ProjectRoot.h"
#include "analyzer/compile/Selection.h"
#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
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

/// One build directory on its way to units.
class BuildLoader {
public:
  BuildLoader(const DatabaseOptions &Options, std::string Cwd,
              std::string BuildDir, uint32_t Number, UnitList &Out)
      : Options(Options), Cwd(std::move(Cwd)), BuildDir(std::move(BuildDir)),
        Number(Number), Out(Out), Commands(Options.Target) {}

  Error run() {
    if (Error Why = openBuild())
      return Why;
    std::vector<BuildEntry> Entries;
    if (Error Why = addPaths(Entries))
      return Why;
    canonicalise(Entries, Tree, Config.holds("CONFIG_64BIT"), Out.Skipped);
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
    for (BuildEntry &Entry : Entries)
      addUnit(Entry);
    append_range(Out.Notes, Commands.notes());
    Out.Builds.push_back({BuildDir, Tree, origin(),
                          Units ? Units->modelSource() : "", make("")});
    return Error::success();
  }

  Expected<SourceTree> tree() {
    if (Error Why = openBuild())
      return Why;
    return Tree;
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

  std::string make(const std::string &Target) const {
    return makeCommand(Tree, Config, Target);
  }

  std::string origin() const {
    std::string Text;
    for (const std::string &Origin : Origins)
      Text += (Text.empty() ? "" : ", ") + Origin;
    return Text;
  }

  /// Finds out what kind of directory it is; reads a JSON database whole.
  Error openBuild() {
    std::string Full = realPath(Cwd, BuildDir);
    std::string Json = Full;
    if (sys::fs::is_directory(Full))
      Json = absolutePath(Full, "compile_commands.json");
    else if (!sys::fs::exists(Full))
      return failure(BuildDir + ": no such build directory");
    else
      Full = sys::path::parent_path(Full).str();
    if (sys::fs::exists(Json)) {
      auto Read = readJsonListing(Json);
      if (!Read)
        return Read.takeError();
      Listing = std::move(*Read);
      // A link at the top leads to the directory of the build.
      Full = sys::path::parent_path(realPath(Full, Json)).str();
    }
    auto Found = findProject(clues(Full));
    if (!Found)
      return Found.takeError();
    Tree = std::move(*Found);
    readConfig();
    if (Listing) {
      Out.Failed.insert(Out.Failed.end(), Listing->Failed.begin(),
                        Listing->Failed.end());
      Origins.insert("compile_commands.json");
      return Error::success();
    }
    if (isObjectRoot(Full) || Config.Values.size())
      return Error::success();
    return failure(
        BuildDir +
        " has no compile_commands.json and is not the output directory of a "
        "configured kernel (no .config); name the build directory with -p. A "
        "kernel: make O=DIR LLVM=1 defconfig prepare. A program: "
        "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear -- make");
  }

  ProjectClues clues(const std::string &Full) const {
    ProjectClues Clues;
    Clues.BuildDir = Full;
    Clues.Cwd = Cwd;
    if (!Options.Root.empty())
      Clues.Root = realPath(Cwd, Options.Root);
    if (Listing)
      for (const BuildEntry &Entry : Listing->Entries) {
        Clues.Sources.push_back(Entry.source());
        Clues.Directories.push_back(Entry.Command.Directory);
      }
    return Clues;
  }

  void readConfig() {
    for (const char *Name : {"include/config/auto.conf", ".config"}) {
      auto Text = readRegularFile(absolutePath(Tree.ObjectRoot, Name));
      if (Text) {
        Config = parseKernelConfig((*Text)->getBuffer());
        return;
      }
      consumeError(Text.takeError());
    }
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
    if (isKernel() && !sys::path::is_absolute(Path.Relative))
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

  /// A kernel that was built as a whole, not some of its directories.
  bool isLinked() const {
    return any_of(ArrayRef{"vmlinux", "vmlinux.o", "vmlinux.a"},
                  [&](const char *Name) {
                    return sys::fs::exists(absolutePath(Tree.ObjectRoot, Name));
                  });
  }

  /// A configured kernel, of which more may be asked than was built.
  bool isKernel() const {
    if (Options.OnlyBuilt || Config.Values.empty() ||
        findSourceRoot(Tree.SourceRoot).empty())
      return false;
    return !Listing || any_of(Listing->Entries, [](const BuildEntry &Entry) {
      return Entry.Kernel;
    });
  }

  /// A header that `make prepare` generates and that is not there, or "".
  std::string unprepared() const {
    const std::pair<const char *, const char *> Headers[] = {
        {"include/generated/autoconf.h", "Kbuild"},
        {"include/generated/bounds.h", "kernel/bounds.c"}};
    for (const auto &[Header, Source] : Headers)
      if (sys::fs::exists(absolutePath(Tree.SourceRoot, Source)) &&
          !sys::fs::exists(absolutePath(Tree.ObjectRoot, Header)))
        return Header;
    return "";
  }

  Error openUnits(ArrayRef<BuildEntry> Found) {
    if (Units)
      return Error::success();
    if (std::string Header = unprepared(); !Header.empty())
      return failure(Tree.ObjectRoot + " is configured but not prepared (no " +
                     Header + "); run: " + make("prepare"));
    auto Opened =
        std::make_unique<ConfiguredUnits>(Tree, Config, Options.TemplateFile);
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
          (Found.empty() || (Options.WholeTree && !isLinked())))
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
        "; build it first: " + make(Target));
  }

  void addUnit(BuildEntry &Entry) {
    CompileCommand &Command = Entry.Command;
    if (Command.Args.empty())
      Command.Args = compileWords(Entry.Line);
    AdjustedCommand Adjusted;
    std::string Why = whyUnreadable(Command.File);
    const bool Gone = Why == "no such file";
    if (Gone)
      Why += ", though a compile command of directory " + Command.Directory +
             " names it";
    if (Why.empty() && !sys::fs::is_directory(Command.Directory))
      Why = "working directory " + Command.Directory + " does not exist";
    if (Why.empty()) {
      if (auto Read = Commands.read(Command)) {
        Adjusted = std::move(*Read);
        Why = badForcedInclude(Adjusted);
      } else
        Why = toString(Read.takeError());
    }
    if (!Why.empty()) {
      std::string Name = Tree.relative(Entry.source());
      if (sys::path::is_absolute(Name)) // where a link leads says less
        Name = Tree.relative(Command.File);
      Out.Failed.push_back({std::move(Name), Why, Gone});
      return;
    }
    std::vector<std::string> Others;
    if (Entry.Origin == CommandOrigin::Own)
      Others = takeSources(Entry, Adjusted);
    if (!Known.insert({Command.File, Command.Directory, Adjusted.Args}).second)
      return; // its object goes elsewhere, or into another program
    for (const std::string &Flag : Adjusted.DroppedFlags)
      ++Out.FlagsDropped[Flag];
    if (Out.OtherCompiler.empty())
      Out.OtherCompiler = Adjusted.OtherCompiler;
    CompileUnit &Unit = Out.Units.emplace_back();
    Unit.File = Command.File;
    Unit.Relative = Tree.relative(Entry.source());
    Unit.Directory = Command.Directory;
    Unit.Args = std::move(Adjusted.Args);
    Unit.Build = Number;
    Unit.SeesFile = !Options.SeenFile.empty() && Entry.DepsKnown;
    Unit.Origin = Entry.Origin;
    if (Entry.Origin != CommandOrigin::Own)
      Unit.Make = make(Tree.relative(Command.Object));
    for (std::string &Other : Others) {
      BuildEntry More = Entry;
      More.Real = realPath("/", Other);
      More.Command.File = std::move(Other);
      addUnit(More);
    }
  }

  /// The sources that the command compiles besides the entry's. If that is not
  /// among them, it becomes the first of them: what the build compiles counts.
  std::vector<std::string> takeSources(BuildEntry &Entry,
                                       AdjustedCommand &Adjusted) {
    CompileCommand &Command = Entry.Command;
    std::vector<std::string> Others;
    bool Named = false;
    for (const std::string &Input : Adjusted.Inputs) {
      std::string File = absolutePath(Command.Directory, Input);
      if (File == Command.File ||
          realPath(Command.Directory, Input) == Entry.source())
        Named = true;
      else if (isSourceWord(Input) && sys::fs::is_regular_file(File))
        Others.push_back(std::move(File));
    }
    if (Named || Others.empty())
      return Others;
    Out.Notes.push_back("the command for " + Tree.relative(Entry.source()) +
                        " compiles " + Others.front() + ", which is read");
    Command.File = Adjusted.Args.back() = Others.front();
    Entry.Real = realPath("/", Command.File);
    Others.erase(Others.begin());
    return Others;
  }

  /// `-include` of a FIFO would hang the parser.
  std::string badForcedInclude(const AdjustedCommand &Command) {
    for (size_t I = 0; I + 1 < Command.Args.size(); ++I) {
      const std::string &Flag = Command.Args[I];
      if (Flag != "-include" && Flag != "-imacros" && Flag != "-FI")
        continue;
      std::string File = absolutePath(Command.Directory, Command.Args[I + 1]);
      if (!sys::fs::exists(File) || GoodIncludes.count(File))
        continue; // it may be found on the include path
      if (std::string Why = whyUnreadable(File); !Why.empty())
        return Flag + " " + File + ": " + Why;
      GoodIncludes.insert(File);
    }
    return "";
  }

  const DatabaseOptions &Options;
  std::string Cwd, BuildDir;
  uint32_t Number;
  UnitList &Out;
  SourceTree Tree;
  KernelConfig Config;
  FileNames Names;
  CommandReader Commands;
  std::optional<BuildListing> Listing;    ///< of a compile_commands.json
  std::unique_ptr<ConfiguredUnits> Units; ///< once they were wanted
  std::set<std::string> Origins, GoodIncludes;
  std::set<std::tuple<std::string, std::string, std::vector<std::string>>>
      Known; ///< units
};

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
    if (Error Why = BuildLoader(Options, realPath(Cwd, "."), Builds[Number],
                                Number, Out)
                        .run())
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
  UnitList Unused;
  return BuildLoader(Options, realPath(Options.Cwd, "."),
                     BuildDir.empty() ? "." : BuildDir, 0, Unused)
      .tree();
}

} // namespace kst
