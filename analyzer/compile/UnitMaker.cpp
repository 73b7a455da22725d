// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/UnitMaker.h"

#include "analyzer/compile/ShellWords.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

void UnitMaker::add(BuildEntry &Entry) {
  CompileCommand &Command = Entry.Command;
  if (Command.Args.empty())
    Command.Args = compileWords(Entry.Line);
  AdjustedCommand Adjusted;
  std::string Why = whyUnreadable(Command.File);
  const bool Gone = Why == "no such file";
  if (Gone)
    Why += ", though a compile command of directory " + Command.Directory +
           " names it";
  if (Why.empty())
    Why = whyNot(Entry, Adjusted);
  if (!Why.empty()) {
    std::string Name = Build.Tree.relative(Entry.source());
    if (sys::path::is_absolute(Name)) // where a link leads says less
      Name = Build.Tree.relative(Command.File);
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
  Unit.Relative = Build.Tree.relative(Entry.source());
  Unit.Directory = Command.Directory;
  Unit.Args = std::move(Adjusted.Args);
  Unit.Build = Number;
  Unit.SeesFile = !Options.SeenFile.empty() && Entry.DepsKnown;
  Unit.Origin = Entry.Origin;
  if (Entry.Origin != CommandOrigin::Own)
    Unit.Make = Build.make(Build.Tree.relative(Command.Object));
  for (std::string &Other : Others) {
    BuildEntry More = Entry;
    More.Real = realPath("/", Other);
    More.Command.File = std::move(Other);
    add(More);
  }
}

std::string UnitMaker::whyNot(BuildEntry &Entry, AdjustedCommand &Adjusted) {
  const CompileCommand &Command = Entry.Command;
  if (!sys::fs::is_directory(Command.Directory))
    return "working directory " + Command.Directory + " does not exist";
  auto Read = Commands.read(Command);
  if (!Read)
    return toString(Read.takeError());
  Adjusted = std::move(*Read);
  return badForcedInclude(Adjusted);
}

/// The sources that the command compiles besides the entry's. If that is not
/// among them, it becomes the first of them: what the build compiles counts.
std::vector<std::string> UnitMaker::takeSources(BuildEntry &Entry,
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
  Out.Notes.push_back("the command for " + Build.Tree.relative(Entry.source()) +
                      " compiles " + Others.front() + ", which is read");
  Command.File = Adjusted.Args.back() = Others.front();
  Entry.Real = realPath("/", Command.File);
  Others.erase(Others.begin());
  return Others;
}

/// `-include` of a FIFO would hang the parser.
std::string UnitMaker::badForcedInclude(const AdjustedCommand &Command) {
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

} // namespace kst
