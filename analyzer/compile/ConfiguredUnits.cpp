// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/ConfiguredUnits.h"

#include "analyzer/compile/KbuildCmd.h"
#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {
namespace {

/// Stands for the flags of the whole kernel where they are not known.
const char Everything[] = "@KBUILD_CFLAGS@";

/// What every `make prepare` compiles with the kernel's flags alone, and the
/// directory of the Makefile. Since Linux 2.6; scripts/mod since 2.6.20.
const std::pair<const char *, const char *> Prepared[] = {
    {"kernel/.bounds.s.cmd", ""}, {"scripts/mod/.empty.o.cmd", "scripts/mod"}};

std::optional<BuildEntry> readCommand(const SourceTree &Tree,
                                      StringRef CmdFile) {
  auto Text = readRegularFile(absolutePath(Tree.ObjectRoot, CmdFile));
  if (!Text) {
    consumeError(Text.takeError());
    return std::nullopt;
  }
  auto Cmd = parseKbuildCmd((*Text)->getBuffer());
  if (!Cmd)
    return std::nullopt;
  BuildEntry Entry;
  Entry.Command = {Tree.ObjectRoot, absolutePath(Tree.ObjectRoot, Cmd->Source),
                   absolutePath(Tree.ObjectRoot, Cmd->Object),
                   compileWords(Cmd->Command)};
  return Entry;
}

/// The C file of an object: in the source tree, else generated.
std::string sourceOf(const KbuildObject &Object, const SourceTree &Tree) {
  for (const std::string &Root : {Tree.SourceRoot, Tree.ObjectRoot}) {
    std::string File = absolutePath(Root, Object.Stem + ".c");
    if (sys::fs::exists(File))
      return File;
  }
  return "";
}

bool hasOtherSource(const KbuildObject &Object, const SourceTree &Tree) {
  for (const std::string &Root : {Tree.SourceRoot, Tree.ObjectRoot})
    for (const char *Suffix : {".S", ".rs", ".dts", ".dtso"})
      if (sys::fs::exists(absolutePath(Root, Object.Stem + Suffix)))
        return true;
  return StringRef(Object.Stem).ends_with(".dtb") ||
         StringRef(Object.Stem).ends_with(".dtbo");
}

/// `#include "NAME"` or `#include "some/dir/NAME"` in File.
bool includesName(const std::string &File, StringRef Name) {
  auto Buffer = readRegularFile(File);
  if (!Buffer) {
    consumeError(Buffer.takeError());
    return false;
  }
  StringRef Text = (*Buffer)->getBuffer();
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#") || !Line.ltrim().starts_with("include"))
      continue;
    StringRef Target = Line.split('"').second.split('"').first;
    if (sys::path::filename(Target) == Name)
      return true;
  }
  return false;
}

std::vector<std::string> wordsOf(const BuildEntry &Entry) {
  return Entry.Command.Args.empty() ? compileWords(Entry.Line)
                                    : Entry.Command.Args;
}

} // namespace

bool ConfiguredUnits::learnFromPrepared() {
  for (const auto &[CmdFile, Directory] : Prepared)
    if (auto Entry = readCommand(Tree, CmdFile)) {
      Model = learnModel(Entry->Command, Directory, Tree);
      ModelSource = Tree.relative(Entry->Command.File);
      if (Model)
        return true;
    }
  return false;
}

/// Does kbuild compile the unit without flags of its own?
bool ConfiguredUnits::isPlain(const BuildEntry &Entry, StringRef Stem) {
  for (const KbuildObject &Object :
       Rules->objects(sys::path::parent_path(Stem)))
    if (Object.Stem == Stem)
      return !Object.Loadable && Object.Flags.size() == 1 &&
             Object.Flags[0] == Everything;
  return false;
}

bool ConfiguredUnits::learnFrom(const BuildEntry &Entry) {
  StringRef Object = Entry.Command.Object;
  if (!Entry.Kernel || !Object.consume_back(".o"))
    return false;
  CompileCommand Command = Entry.Command;
  Command.Args = wordsOf(Entry);
  const std::string Stem = Tree.relative(Object);
  const std::string Directory = sys::path::parent_path(Stem).str();
  auto Learnt = learnModel(Command, Directory, Tree);
  if (!Learnt)
    return false;
  if (!Rules)
    Rules =
        std::make_unique<KbuildTree>(Tree, Config, Learnt->Arch, Everything);
  if (!isPlain(Entry, Stem))
    return false;
  Model = std::move(Learnt);
  ModelSource = Tree.relative(Entry.Command.File);
  return true;
}

Error ConfiguredUnits::open(ArrayRef<BuildEntry> Built) {
  constexpr size_t MostTried = 200;
  if (!learnFromPrepared()) {
    std::vector<const BuildEntry *> Sorted;
    for (const BuildEntry &Entry : Built)
      Sorted.push_back(&Entry);
    llvm::sort(Sorted, [](const BuildEntry *A, const BuildEntry *B) {
      return A->Command.File < B->Command.File;
    });
    Sorted.resize(std::min(Sorted.size(), MostTried));
    (void)any_of(Sorted,
                 [&](const BuildEntry *Entry) { return learnFrom(*Entry); });
  }
  std::string Arch, Flags = Everything;
  if (Model) {
    Arch = Model->Arch;
    Flags = quoted(Model->Flags);
  } else {
    if (TemplateFile.empty())
      return createStringError(std::errc::invalid_argument, "no template");
    auto Text = readRegularFile(TemplateFile);
    if (!Text)
      return Text.takeError();
    auto Chosen = chooseTemplate((*Text)->getBuffer(), Config);
    if (!Chosen)
      return createStringError(std::errc::invalid_argument, "%s %s",
                               TemplateFile.c_str(),
                               toString(Chosen.takeError()).c_str());
    Template = std::move(*Chosen);
    Arch = Template->sourceArch();
  }
  Rules = std::make_unique<KbuildTree>(Tree, Config, Arch, std::move(Flags));
  return Error::success();
}

BuildEntry ConfiguredUnits::entryFor(const KbuildObject &Object,
                                     std::string File) {
  BuildEntry Entry;
  Entry.Kernel = true;
  if (Model) {
    Entry.Origin = CommandOrigin::Model;
    Entry.Command = commandFor(*Model, Object, File, Tree, Rules->kernelFlags(),
                               Rules->moduleFlags());
    return Entry;
  }
  KbuildObject Own = Object;
  erase(Own.Flags, Everything);
  Entry.Origin = CommandOrigin::Template;
  Entry.Command = expandTemplate(*Template, Own, File, Tree, Config);
  return Entry;
}

ConfiguredListing ConfiguredUnits::list(StringRef Relative) {
  ConfiguredListing Out;
  const bool IsFile =
      sys::fs::is_regular_file(absolutePath(Tree.SourceRoot, Relative)) ||
      sys::fs::is_regular_file(absolutePath(Tree.ObjectRoot, Relative));
  const StringRef Home = IsFile ? sys::path::parent_path(Relative) : Relative;
  std::vector<BuildEntry> Including;
  for (const KbuildObject &Object : Rules->objects(Home)) {
    const bool Wanted =
        Relative.empty() || isBelow(Object.Stem + ".c", Relative);
    if (!Wanted && sys::path::parent_path(Object.Stem) != Home)
      continue;
    std::string File = sourceOf(Object, Tree);
    if (File.empty()) {
      if (hasOtherSource(Object, Tree))
        Out.OtherLanguages += Wanted;
      else if (Wanted)
        Out.Ungenerated.push_back(Object.Stem);
    } else if (Wanted)
      Out.Entries.push_back(entryFor(Object, std::move(File)));
    else if (includesName(File, sys::path::filename(Relative)))
      Including.push_back(entryFor(Object, std::move(File)));
  }
  if (Out.Entries.empty())
    Out.Entries = std::move(Including);
  return Out;
}

} // namespace kst
