// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildCmd.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kst {
namespace {

/// Undoes what scripts/Kbuild.include does to a command so that make reads it
/// back: `$$` is `$`, `$(pound)` (`\#` in older kernels) is `#`.
std::string unescapeMake(StringRef Text) {
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    if (Text.consume_front("$$"))
      Out += '$';
    else if (Text.consume_front("$(pound)") || Text.consume_front("\\#"))
      Out += '#';
    else {
      Out += Text.front();
      Text = Text.drop_front();
    }
  }
  return Out;
}

/// As StringRef::trim(), which prepares a set of characters in each call: too
/// slow for the dependency lines of a whole kernel.
StringRef trimmed(StringRef Line) {
  while (!Line.empty() && isSpace(Line.front()))
    Line = Line.drop_front();
  while (!Line.empty() && isSpace(Line.back()))
    Line = Line.drop_back();
  return Line;
}

/// `NAME := VALUE`, split; the name is empty for other lines.
std::pair<StringRef, StringRef> assignment(StringRef Line) {
  auto [Name, Value] = Line.split(" := ");
  if (Name.size() == Line.size()) // `deps_X :=` with nothing behind it
    return {StringRef(), StringRef()};
  return {Name, Value.trim()};
}

} // namespace

std::optional<KbuildCmd> parseKbuildCmd(StringRef Text) {
  KbuildCmd Cmd;
  bool InDeps = false;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    if (InDeps) {
      StringRef Name = trimmed(Line);
      InDeps = Name.consume_back("\\");
      Name = trimmed(Name);
      if (!Name.empty() && !Name.starts_with("$("))
        Cmd.Deps.push_back(Name);
      continue;
    }
    auto [Name, Value] = assignment(Line);
    if (Name.consume_front("savedcmd_") || Name.consume_front("cmd_")) {
      Cmd.Object = Name;
      Cmd.Command = unescapeMake(Value);
    } else if (Name.consume_front("source_"))
      Cmd.Source = Value;
    else if (Name.consume_front("deps_"))
      InDeps = Value == "\\";
  }
  // An older kbuild, as that of BusyBox, names the source among what it reads.
  if (Cmd.Source.empty() && !Cmd.Deps.empty()) {
    Cmd.Source = Cmd.Deps.front();
    Cmd.Deps.erase(Cmd.Deps.begin());
  }
  if (Cmd.Object.empty() || Cmd.Source.empty() || Cmd.Command.empty())
    return std::nullopt;
  return Cmd;
}

} // namespace kst
