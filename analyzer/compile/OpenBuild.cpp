// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/OpenBuild.h"

#include "analyzer/compile/MakeCommand.h"
#include "analyzer/compile/ProjectRoot.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

static ProjectClues clues(const DatabaseOptions &Options,
                          const std::string &Cwd, const std::string &Full,
                          const std::optional<BuildListing> &Listing) {
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

static KernelConfig configOf(const SourceTree &Tree) {
  for (const char *Name : {"include/config/auto.conf", ".config"}) {
    auto Text = readRegularFile(absolutePath(Tree.ObjectRoot, Name));
    if (Text)
      return parseKernelConfig((*Text)->getBuffer());
    consumeError(Text.takeError());
  }
  return {};
}

std::string OpenBuild::make(const std::string &Target) const {
  return makeCommand(Tree, Config, Target);
}

bool OpenBuild::isLinked() const {
  return any_of(ArrayRef{"vmlinux", "vmlinux.o", "vmlinux.a"},
                [&](const char *Name) {
                  return sys::fs::exists(absolutePath(Tree.ObjectRoot, Name));
                });
}

bool OpenBuild::isKernel() const {
  if (Config.Values.empty() || findSourceRoot(Tree.SourceRoot).empty())
    return false;
  return !Listing || any_of(Listing->Entries, [](const BuildEntry &Entry) {
    return Entry.Kernel;
  });
}

std::string OpenBuild::unprepared() const {
  const std::pair<const char *, const char *> Headers[] = {
      {"include/generated/autoconf.h", "Kbuild"},
      {"include/generated/bounds.h", "kernel/bounds.c"}};
  for (const auto &[Header, Source] : Headers)
    if (sys::fs::exists(absolutePath(Tree.SourceRoot, Source)) &&
        !sys::fs::exists(absolutePath(Tree.ObjectRoot, Header)))
      return Header;
  return "";
}

Expected<OpenBuild> openBuild(const DatabaseOptions &Options,
                              const std::string &Cwd, const std::string &Dir) {
  OpenBuild Build;
  std::string Full = realPath(Cwd, Dir);
  std::string Json = Full;
  if (sys::fs::is_directory(Full))
    Json = absolutePath(Full, "compile_commands.json");
  else if (!sys::fs::exists(Full))
    return createStringError(std::errc::invalid_argument,
                             "%s: no such build directory", Dir.c_str());
  else
    Full = sys::path::parent_path(Full).str();
  if (sys::fs::exists(Json)) {
    auto Read = readJsonListing(Json);
    if (!Read)
      return Read.takeError();
    Build.Listing = std::move(*Read);
    // A link at the top leads to the directory of the build.
    Full = sys::path::parent_path(realPath(Full, Json)).str();
  }
  auto Found = findProject(clues(Options, Cwd, Full, Build.Listing));
  if (!Found)
    return Found.takeError();
  Build.Tree = std::move(*Found);
  Build.Config = configOf(Build.Tree);
  if (Build.Listing || isObjectRoot(Full) || Build.Config.Values.size())
    return Build;
  return createStringError(
      std::errc::invalid_argument,
      "%s has no compile_commands.json and is not the output directory of a "
      "configured kernel (no .config); name the build directory with -p. A "
      "kernel: make O=DIR LLVM=1 defconfig prepare. A program: "
      "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear -- make",
      Dir.c_str());
}

} // namespace kst
