// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildMakefile.h"

#include "analyzer/compile/ShellWords.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <set>

using namespace llvm;

namespace kst {
namespace {

std::vector<StringRef> words(StringRef Text) {
  SmallVector<StringRef, 16> Parts;
  Text.split(Parts, ' ', -1, false);
  std::vector<StringRef> Out;
  for (StringRef Part : Parts)
    if (!Part.trim().empty())
      Out.push_back(Part.trim());
  return Out;
}

class Interpreter {
public:
  Interpreter(StringRef Dir, const SourceTree &Tree, const KernelConfig &Config,
              const StringMap<std::string> &Predefined)
      : Dir(Dir), Config(Config), Vars(Predefined) {
    Vars["srctree"] = Tree.SourceRoot;
    Vars["objtree"] = Tree.ObjectRoot;
    Vars["src"] = absolutePath(Tree.SourceRoot, Dir);
    Vars["obj"] = absolutePath(Tree.ObjectRoot, Dir);
  }

  void run(StringRef Text) {
    std::string Line;
    while (!Text.empty()) {
      StringRef Part;
      std::tie(Part, Text) = Text.split('\n');
      Part = Part.rtrim();
      bool More = Part.consume_back("\\");
      Line += Part.str() + ' ';
      if (More && !Text.empty())
        continue;
      statement(StringRef(Line).split('#').first.trim());
      Line.clear();
    }
  }

  KbuildDirectory result() {
    KbuildDirectory Out;
    for (StringRef List : namesOf(NameKind::BuiltInList))
      collect(List, false, Out);
    collect("obj-m", true, Out);
    Out.InheritedFlags = flags("subdir-ccflags-y");
    return Out;
  }

private:
  // Statements.

  void statement(StringRef Line) {
    auto [Word, Rest] = Line.split(' ');
    Rest = Rest.trim();
    if (Word == "ifdef" || Word == "ifndef")
      return open((variable(expand(Rest)) != "") == (Word == "ifdef"));
    if (Word == "ifeq" || Word == "ifneq")
      return open(equal(Rest) == (Word == "ifeq"));
    if (Word.starts_with("ifeq(") || Word.starts_with("ifneq("))
      return open(equal(Line.drop_front(Line.find('('))) ==
                  Word.starts_with("ifeq"));
    if (Word == "else")
      return otherwise(Rest);
    if (Word == "endif")
      return close();
    if (live())
      assign(Line);
  }

  /// Each open conditional: is this branch taken, and was one before it?
  struct Branch {
    bool Taken = false, Done = false;
  };

  void open(bool Taken) { Branches.push_back({Taken, Taken}); }
  void close() {
    if (!Branches.empty())
      Branches.pop_back();
  }
  void otherwise(StringRef Rest) {
    if (Branches.empty())
      return;
    Branch Outer = Branches.back();
    Branches.pop_back();
    bool Taken = true;
    if (!Rest.empty()) { // else ifeq (...)
      statement(Rest);
      if (Branches.empty())
        return;
      Taken = Branches.back().Taken;
      Branches.pop_back();
    }
    Branches.push_back({Taken && !Outer.Done, Outer.Done || Taken});
  }
  bool live() const {
    return all_of(Branches, [](const Branch &B) { return B.Taken; });
  }

  bool equal(StringRef Condition) {
    auto [Left, Right] = arguments(Condition);
    return StringRef(expand(Left)).trim() == StringRef(expand(Right)).trim();
  }

  /// The two sides of `(a,b)`, `"a" "b"` or `'a' 'b'`.
  static std::pair<StringRef, StringRef> arguments(StringRef Text) {
    if (Text.consume_front("(")) {
      Text.consume_back(")");
      size_t Comma = topLevelComma(Text);
      return {Text.take_front(Comma),
              Comma == StringRef::npos ? "" : Text.drop_front(Comma + 1)};
    }
    auto [Left, Right] = Text.split(' ');
    return {Left.trim("\"'"), Right.trim().trim("\"'")};
  }

  static size_t topLevelComma(StringRef Text) {
    int Depth = 0;
    for (size_t I = 0; I < Text.size(); ++I) {
      if (Text[I] == '(' || Text[I] == '{')
        ++Depth;
      else if (Text[I] == ')' || Text[I] == '}')
        --Depth;
      else if (Text[I] == ',' && Depth == 0)
        return I;
    }
    return StringRef::npos;
  }

  void assign(StringRef Line) {
    size_t Equals = Line.find('=');
    if (Equals == StringRef::npos || Equals == 0)
      return;
    StringRef Left = Line.take_front(Equals);
    bool Append = Left.consume_back("+");
    bool Weak = !Append && Left.consume_back("?");
    while (Left.consume_back(":"))
      ;
    std::string Name = expand(Left.trim());
    if (Name.empty() || StringRef(Name).contains(' '))
      return; // a rule, or a target's own variable
    std::string Value = expand(Line.drop_front(Equals + 1).trim());
    std::string &Slot = Vars[Name];
    if (Append && !Slot.empty())
      Slot += ' ' + Value;
    else if (!Weak || Slot.empty())
      Slot = Value;
  }

  // Expansion.

  std::string variable(StringRef Name) const {
    if (Name.starts_with("CONFIG_"))
      return Config.get(Name).str();
    auto Found = Vars.find(Name);
    return Found == Vars.end() ? "" : Found->second;
  }

  std::string expand(StringRef Text, unsigned Depth = 0) {
    std::string Out;
    while (!Text.empty()) {
      auto [Plain, Rest] = Text.split('$');
      Out += Plain.str();
      if (Plain.size() == Text.size() || Rest.empty() || Depth > 16)
        break;
      if (Rest[0] == '$') {
        Out += '$';
        Text = Rest.drop_front();
        continue;
      }
      size_t End = closing(Rest);
      Out += reference(Rest.slice(1, End), Depth + 1);
      Text = Rest.drop_front(std::min(End + 1, Rest.size()));
    }
    return Out;
  }

  /// Index of the bracket that closes the one at Text[0]; 0 for `$x`.
  static size_t closing(StringRef Text) {
    if (Text[0] != '(' && Text[0] != '{')
      return 0;
    int Depth = 0;
    for (size_t I = 0; I < Text.size(); ++I) {
      if (Text[I] == '(' || Text[I] == '{')
        ++Depth;
      else if ((Text[I] == ')' || Text[I] == '}') && --Depth == 0)
        return I;
    }
    return Text.size();
  }

  /// The inside of $(...).
  std::string reference(StringRef Inside, unsigned Depth) {
    auto [Function, Rest] = Inside.split(' ');
    if (Rest.empty())
      return Inside.contains(':') ? "" : variable(expand(Inside, Depth));
    std::vector<std::string> Args;
    for (StringRef Left = Rest.ltrim();;) {
      size_t Comma = topLevelComma(Left);
      Args.push_back(expand(Left.take_front(Comma), Depth));
      if (Comma == StringRef::npos)
        break;
      Left = Left.drop_front(Comma + 1);
    }
    return function(Function, Args);
  }

  static std::string function(StringRef Name,
                              const std::vector<std::string> &Args) {
    if (Name == "strip")
      return StringRef(Args[0]).trim().str();
    if (Name == "addprefix" && Args.size() == 2) {
      std::string Out;
      for (StringRef Word : words(Args[1]))
        Out += StringRef(Args[0]).trim().str() + Word.str() + ' ';
      return Out;
    }
    if (Name == "subst" && Args.size() == 3 && !Args[0].empty()) {
      std::string Out = Args[2];
      for (size_t At = Out.find(Args[0]); At != std::string::npos;
           At = Out.find(Args[0], At + Args[1].size()))
        Out.replace(At, Args[0].size(), Args[1]);
      return Out;
    }
    if (Name == "if" && Args.size() >= 2)
      return !StringRef(Args[0]).trim().empty() ? Args[1]
             : Args.size() > 2                  ? Args[2]
                                                : "";
    if (Name == "or")
      for (const std::string &Arg : Args)
        if (!StringRef(Arg).trim().empty())
          return Arg;
    return "";
  }

  // The result.

  std::string place(StringRef Name) const {
    SmallString<128> Path(Dir);
    sys::path::append(Path, Name);
    sys::path::remove_dots(Path, true);
    return std::string(Path);
  }

  void collect(StringRef List, bool Loadable, KbuildDirectory &Out) {
    std::string Value = variable(List);
    for (StringRef Word : words(Value)) {
      if (Word.ends_with("/"))
        Out.Subdirs.push_back(place(Word.drop_back()));
      else if (Word.consume_back(".o"))
        addObject(Word, Loadable, Out);
    }
  }

  void addObject(StringRef Name, bool Loadable, KbuildDirectory &Out) {
    std::string Parts =
        variable((Name + "-objs").str()) + ' ' + variable((Name + "-y").str());
    if (Loadable)
      Parts += ' ' + variable((Name + "-m").str());
    std::vector<StringRef> Stems = words(Parts);
    if (Stems.empty())
      Stems.push_back(Name);
    for (StringRef Stem : Stems) {
      Stem.consume_back(".o");
      if (Stem.ends_with("/") || !Seen.insert(Stem.str()).second)
        continue;
      KbuildObject Object;
      Object.Stem = place(Stem);
      Object.Module = sys::path::filename(Name).str();
      Object.ModuleFile = place(Name);
      Object.Loadable = Loadable;
      Object.Flags = flags("ccflags-y");
      for (std::string &Flag : flags(("CFLAGS_" + Stem + ".o").str()))
        Object.Flags.push_back(std::move(Flag));
      Out.Objects.push_back(std::move(Object));
    }
  }

  /// The -D, -U and -I words of a variable; `-I dir` is joined.
  std::vector<std::string> flags(StringRef Name) {
    std::vector<std::string> Out;
    std::string Value = variable(Name);
    // Before 6.10 $(src) was relative: -I$(srctree)/$(src).
    std::string Twice = Vars["srctree"] + "/" + Vars["srctree"];
    bool Join = false;
    for (auto &Command : splitShell(Value))
      for (std::string &Word : Command) {
        if (Join)
          Word = "-I" + Word;
        Join = Word == "-I";
        StringRef Text = Word;
        if (Join || !(Text.starts_with("-D") || Text.starts_with("-U") ||
                      Text.starts_with("-I")))
          continue;
        if (Text.starts_with("-I" + Twice))
          Word = "-I" + Word.substr(3 + Vars["srctree"].size());
        Out.push_back(Word);
      }
    return Out;
  }

  std::string Dir;
  const KernelConfig &Config;
  StringMap<std::string> Vars;
  std::vector<Branch> Branches;
  std::set<std::string> Seen;
};

} // namespace

KbuildDirectory parseKbuildMakefile(StringRef Text, StringRef Dir,
                                    const SourceTree &Tree,
                                    const KernelConfig &Config,
                                    const StringMap<std::string> &Predefined) {
  Interpreter Machine(Dir, Tree, Config, Predefined);
  Machine.run(Text);
  return Machine.result();
}

} // namespace kst
