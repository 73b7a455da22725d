// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CommandTemplate.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace kst {
namespace {

/// Reads the Makefiles at and below one directory.
class Lister {
public:
  Lister(const CommandTemplate &Template, const SourceTree &Tree,
         const KernelConfig &Config)
      : Tree(Tree), Config(Config) {
    Predefined["SRCARCH"] = Template.sourceArch();
    Predefined["ARCH"] = Template.sourceArch();
    Predefined["BITS"] = Config.holds("CONFIG_64BIT") ? "64" : "32";
  }

  std::vector<KbuildObject> list(StringRef Relative) {
    std::string Start = Relative.str();
    while (!Start.empty() && kbuildFile(Start).empty())
      Start = sys::path::parent_path(Start).str();
    std::vector<std::string> Inherited;
    for (StringRef Up = sys::path::parent_path(Start); !Up.empty();
         Up = sys::path::parent_path(Up)) {
      auto Flags = read(Up).InheritedFlags;
      Inherited.insert(Inherited.begin(), Flags.begin(), Flags.end());
    }
    visit(Start, Inherited);
    return std::move(Objects);
  }

private:
  /// kbuild prefers Kbuild over Makefile.
  std::string kbuildFile(StringRef Dir) const {
    std::string Full = absolutePath(Tree.SourceRoot, Dir);
    for (const char *Name : {"Kbuild", "Makefile"}) {
      std::string File = absolutePath(Full, Name);
      if (sys::fs::is_regular_file(File))
        return File;
    }
    return "";
  }

  KbuildDirectory read(StringRef Dir) const {
    std::string File = kbuildFile(Dir);
    if (File.empty())
      return {};
    auto Text = readRegularFile(File);
    if (!Text) {
      consumeError(Text.takeError());
      return {};
    }
    return parseKbuildMakefile((*Text)->getBuffer(), Dir, Tree, Config,
                               Predefined);
  }

  void visit(const std::string &Dir, std::vector<std::string> Inherited) {
    if (!Visited.insert(Dir).second)
      return;
    KbuildDirectory Here = read(Dir);
    Inherited.insert(Inherited.end(), Here.InheritedFlags.begin(),
                     Here.InheritedFlags.end());
    for (KbuildObject &Object : Here.Objects) {
      Object.Flags.insert(Object.Flags.begin(), Inherited.begin(),
                          Inherited.end());
      Objects.push_back(std::move(Object));
    }
    for (const std::string &Sub : Here.Subdirs)
      visit(Sub, Inherited);
  }

  const SourceTree &Tree;
  const KernelConfig &Config;
  StringMap<std::string> Predefined;
  std::set<std::string> Visited;
  std::vector<KbuildObject> Objects;
};

/// The C file of an object: in the source tree, else generated.
std::string sourceOf(const KbuildObject &Object, const SourceTree &Tree) {
  for (const std::string &Root : {Tree.SourceRoot, Tree.ObjectRoot}) {
    std::string File = absolutePath(Root, Object.Stem + ".c");
    if (sys::fs::exists(File))
      return File;
  }
  return "";
}

std::string cName(StringRef Name) {
  std::string Out = Name.str();
  for (char &C : Out)
    if (C == '-' || C == ',')
      C = '_';
  return Out;
}

void replaceAll(std::string &Text, StringRef What, StringRef With) {
  for (size_t At = Text.find(What); At != std::string::npos;
       At = Text.find(What, At + With.size()))
    Text.replace(At, What.size(), With);
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

} // namespace

std::string CommandTemplate::sourceArch() const {
  for (StringRef Word : Entry.Args)
    if (size_t At = Word.find("/arch/"); At != StringRef::npos)
      return Word.drop_front(At + 6).split('/').first.str();
  return "";
}

Expected<CommandTemplate> chooseTemplate(StringRef Text,
                                         const KernelConfig &Config) {
  auto Database = parseJsonDatabase(Text);
  if (!Database)
    return Database.takeError();
  if (!Database->Broken.empty())
    return createStringError(std::errc::invalid_argument, "%s: %s",
                             Database->Broken[0].Name.c_str(),
                             Database->Broken[0].Reason.c_str());
  std::string Known;
  for (JsonCommand &Entry : Database->Commands) {
    if (Config.holds(Entry.Condition))
      return CommandTemplate{std::move(Entry)};
    Known += (Known.empty() ? "" : ", ") + Entry.Condition;
  }
  return createStringError(std::errc::invalid_argument,
                           "has no entry for this tree's architecture; it "
                           "knows %s",
                           Known.c_str());
}

CompileCommand expandTemplate(const CommandTemplate &Template,
                              const KbuildObject &Object,
                              const std::string &File, const SourceTree &Tree,
                              const KernelConfig &Config) {
  const std::pair<const char *, std::string> Values[] = {
      {"@KSRC@", Tree.SourceRoot},
      {"@KOBJ@", Tree.ObjectRoot},
      {"@FILE@", File},
      {"@OBJECT@", Object.Stem + ".o"},
      {"@DIR@", sys::path::parent_path(Object.Stem).str()},
      {"@BASENAME@", cName(sys::path::filename(Object.Stem))},
      {"@MODNAME@", cName(Object.Module)},
      {"@MODFILE@", Object.ModuleFile}};
  auto Filled = [&](std::string Word) {
    for (const auto &[Name, Value] : Values)
      replaceAll(Word, Name, Value);
    return Word;
  };

  CompileCommand Command;
  Command.Directory = Filled(Template.Entry.Directory);
  Command.File = File;
  Command.Object = absolutePath(Tree.ObjectRoot, Object.Stem + ".o");
  for (StringRef Word : Template.Entry.Args) {
    if (Word == "@CCFLAGS@") {
      Command.Args.insert(Command.Args.end(), Object.Flags.begin(),
                          Object.Flags.end());
      if (Object.Loadable)
        Command.Args.push_back("-DMODULE");
      continue;
    }
    bool Wanted = true;
    while (Wanted && Word.consume_front("@IF:")) {
      auto [Condition, Rest] = Word.split('@');
      Wanted = Config.holds(Condition);
      Word = Rest;
    }
    if (Wanted)
      Command.Args.push_back(Filled(Word.str()));
  }
  return Command;
}

BuildListing listTemplate(const CommandTemplate &Template, StringRef Relative,
                          const SourceTree &Tree, const KernelConfig &Config,
                          std::map<std::string, uint64_t> &Skipped) {
  BuildListing Out;
  bool IsFile =
      sys::fs::is_regular_file(absolutePath(Tree.SourceRoot, Relative));
  std::vector<BuildEntry> Including;
  std::string Home = sys::path::parent_path(Relative).str();
  for (const KbuildObject &Object :
       Lister(Template, Tree, Config)
           .list(IsFile ? StringRef(Home) : Relative)) {
    bool Wanted = Relative.empty() || isBelow(Object.Stem + ".c", Relative);
    bool Beside = IsFile && sys::path::parent_path(Object.Stem) == Home;
    if (!Wanted && !Beside)
      continue;
    std::string File = sourceOf(Object, Tree);
    if (File.empty()) {
      ++Skipped["object of a Makefile without a C source"];
      continue;
    }
    BuildEntry Entry;
    Entry.Kernel = true;
    Entry.Command = expandTemplate(Template, Object, File, Tree, Config);
    if (Wanted)
      Out.Entries.push_back(std::move(Entry));
    else if (includesName(File, sys::path::filename(Relative)))
      Including.push_back(std::move(Entry));
  }
  if (Out.Entries.empty())
    Out.Entries = std::move(Including);
  return Out;
}

} // namespace kst
