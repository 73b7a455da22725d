// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/CommandTemplate.h"

#include "analyzer/compile/KbuildModel.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {
namespace {

void replaceAll(std::string &Text, StringRef What, StringRef With) {
  for (size_t At = Text.find(What); At != std::string::npos;
       At = Text.find(What, At + With.size()))
    Text.replace(At, What.size(), With);
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
      {"@DIR@", Object.Directory},
      {"@BASENAME@", kbuildName(sys::path::filename(Object.Stem))},
      {"@MODNAME@", kbuildName(Object.Module)},
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

} // namespace kst
