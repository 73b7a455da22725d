// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/BuildTree.h"

#include "analyzer/compile/JsonDatabase.h"
#include "analyzer/compile/KbuildCmd.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

uint32_t FileNames::number(StringRef File) {
  auto [Found, New] = Numbers.try_emplace(File, Names.size());
  if (New)
    Names.push_back(File.str());
  return Found->second;
}

std::optional<uint32_t> FileNames::find(StringRef File) const {
  auto Found = Numbers.find(File);
  if (Found == Numbers.end())
    return std::nullopt;
  return Found->second;
}

Expected<std::unique_ptr<MemoryBuffer>>
readRegularFile(const std::string &Path) {
  if (std::string Why = whyUnreadable(Path); !Why.empty())
    return createStringError(std::errc::invalid_argument, "%s: %s",
                             Path.c_str(), Why.c_str());
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Buffer.getError(), "%s: %s", Path.c_str(),
                             Buffer.getError().message().c_str());
  return std::move(*Buffer);
}

namespace {

/// Names of dependency lists repeat thousands of times; each raw spelling is
/// made absolute once.
class DepNames {
public:
  DepNames(std::string Root, FileNames &Names)
      : Root(std::move(Root)), Names(Names) {}

  uint32_t number(StringRef Raw) {
    auto [Found, New] = Known.try_emplace(Raw, 0);
    if (New)
      Found->second = Names.number(absolutePath(Root, Raw));
    return Found->second;
  }

private:
  std::string Root;
  FileNames &Names;
  StringMap<uint32_t> Known;
};

bool isCSource(StringRef File) {
  return File.ends_with(".c") && !File.ends_with(".mod.c");
}

void takeDeps(const KbuildCmd &Cmd, DepNames &Names, BuildEntry &Entry) {
  Entry.DepsKnown = true;
  Entry.Deps.push_back(Names.number(Cmd.Source));
  for (StringRef Dep : Cmd.Deps)
    Entry.Deps.push_back(Names.number(Dep));
  llvm::sort(Entry.Deps);
  Entry.Deps.erase(llvm::unique(Entry.Deps), Entry.Deps.end());
}

void readCmdFile(const std::string &Path, const SourceTree &Tree,
                 DepNames &Names, BuildListing &Out) {
  auto Buffer = readRegularFile(Path);
  if (!Buffer)
    return consumeError(Buffer.takeError());
  auto Cmd = parseKbuildCmd((*Buffer)->getBuffer());
  if (!Cmd || !isCSource(Cmd->Source))
    return;
  BuildEntry Entry;
  Entry.Command.Directory = Tree.ObjectRoot;
  Entry.Command.File = absolutePath(Tree.ObjectRoot, Cmd->Source);
  Entry.Command.Object = absolutePath(Tree.ObjectRoot, Cmd->Object);
  Entry.Kernel = StringRef(Cmd->Command).contains("-D__KERNEL__");
  takeDeps(*Cmd, Names, Entry);
  Entry.Line = std::move(Cmd->Command);
  Out.Entries.push_back(std::move(Entry));
}

bool isCmdName(StringRef Name) {
  return Name.starts_with(".") && Name.ends_with(".o.cmd") &&
         !Name.ends_with(".mod.o.cmd");
}

/// The object named by `-o`, or "".
StringRef outputOf(const std::vector<std::string> &Args) {
  for (size_t I = 0; I + 1 < Args.size(); ++I)
    if (Args[I] == "-o")
      return Args[I + 1];
  return "";
}

/// `dir/foo.o` -> `dir/.foo.o.cmd`
std::string cmdNameOf(StringRef Object) {
  SmallString<256> Path(sys::path::parent_path(Object));
  sys::path::append(Path, "." + sys::path::filename(Object) + ".cmd");
  return std::string(Path);
}

} // namespace

bool hasCmdFile(StringRef Object) {
  return sys::fs::is_regular_file(cmdNameOf(Object));
}

BuildListing readCmdListing(const SourceTree &Tree, StringRef Dir,
                            FileNames &Names) {
  BuildListing Out;
  DepNames Deps(Tree.ObjectRoot, Names);
  std::error_code Why;
  sys::fs::recursive_directory_iterator It(Dir, Why, /*follow_symlinks=*/false);
  for (sys::fs::recursive_directory_iterator End; !Why && It != End;
       It.increment(Why)) {
    StringRef Name = sys::path::filename(It->path());
    if (It->type() == sys::fs::file_type::directory_file) {
      if (Name == ".git" || isObjectRoot(It->path()))
        It.no_push();
    } else if (isCmdName(Name))
      readCmdFile(It->path(), Tree, Deps, Out);
  }
  return Out;
}

/// Both names resolved by text where that is the same file: behind a link `..`
/// leads elsewhere.
static std::string sourceName(StringRef Directory, StringRef File) {
  std::string Normal = absolutePath(Directory, File);
  if (!File.contains("..") || sys::path::is_absolute(File))
    return Normal;
  SmallString<256> Joined(Directory);
  sys::path::append(Joined, File);
  return sys::fs::exists(Joined) && !sys::fs::equivalent(Joined, Normal)
             ? std::string(Joined)
             : Normal;
}

Expected<BuildListing> readJsonListing(const std::string &File) {
  auto Buffer = readRegularFile(File);
  if (!Buffer)
    return Buffer.takeError();
  auto Database = parseJsonDatabase((*Buffer)->getBuffer());
  if (!Database)
    return createStringError(std::errc::invalid_argument, "%s %s", File.c_str(),
                             toString(Database.takeError()).c_str());
  BuildListing Out;
  const std::string Home = sys::path::parent_path(File).str();
  const std::string RealHome =
      sys::path::parent_path(realPath("/", File)).str();
  PhysicalNames Physical;
  for (const BrokenEntry &Broken : Database->Broken)
    Out.Failed.push_back({Broken.Name, Broken.Reason});
  for (JsonCommand &Raw : Database->Commands) {
    BuildEntry Entry;
    CompileCommand &Command = Entry.Command;
    Command.Directory = realPath(Home, Raw.Directory);
    if (!sys::fs::is_directory(Command.Directory)) // a database behind a link
      Command.Directory = realPath(RealHome, Raw.Directory);
    Command.File = sourceName(Command.Directory, Raw.File);
    Command.Directory = realPath(Command.Directory, Raw.RunsIn);
    Entry.Real = Physical(Command.File);
    if (Raw.Output.empty())
      Raw.Output = outputOf(Raw.Args).str();
    if (!Raw.Output.empty())
      Command.Object = absolutePath(Command.Directory, Raw.Output);
    Command.Args = std::move(Raw.Args);
    Entry.Kernel = llvm::is_contained(Command.Args, "-D__KERNEL__");
    Out.Entries.push_back(std::move(Entry));
  }
  return Out;
}

void loadDependencies(std::vector<BuildEntry> &Entries, FileNames &Names) {
  std::map<std::string, DepNames> ByDirectory;
  for (BuildEntry &Entry : Entries) {
    const CompileCommand &Command = Entry.Command;
    if (Entry.DepsKnown || !Entry.Kernel || Command.Object.empty())
      continue;
    auto Text = readRegularFile(cmdNameOf(Command.Object));
    if (!Text) {
      consumeError(Text.takeError());
      continue;
    }
    auto Known =
        ByDirectory.try_emplace(Command.Directory, Command.Directory, Names);
    if (auto Cmd = parseKbuildCmd((*Text)->getBuffer()))
      takeDeps(*Cmd, Known.first->second, Entry);
  }
}

} // namespace kst
