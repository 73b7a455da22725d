// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/HotNames.h"

#include "analyzer/compile/StructScan.h"
#include "analyzer/facts/HeaderScan.h"
#include "hybrid/core/EditDistance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using llvm::StringRef;

namespace kst {

namespace {

/// Of what a macro at file scope makes a name, at least so much is in its
/// first argument.
constexpr size_t MinArgument = 3;
constexpr size_t MaxProbes = 4;
/// Macros that call macros are followed so far.
constexpr int MacroDepth = 4;

struct Place {
  uint32_t File = 0, Line = 0;
};

/// All functions and macros of the texts. Refers to the graph.
class NameIndex {
public:
  struct Macro {
    Place At;
    std::vector<StringRef> Uses;
  };
  struct Call {
    Place At;
    StringRef Macro, Argument;
    std::vector<StringRef> Uses;
  };

  explicit NameIndex(const IncludeGraph &Graph) : Graph(Graph) {
    for (uint32_t F = 0; F != Graph.files().size(); ++F)
      add(F);
  }

  bool isFunction(StringRef Name) const { return Functions.contains(Name); }
  const llvm::StringSet<> &functions() const { return Functions; }
  const Macro *macro(StringRef Name) const {
    auto At = Macros.find(Name);
    return At == Macros.end() ? nullptr : &At->second;
  }
  const std::vector<Call> &calls() const { return Calls; }

  /// Functions that a text with these names calls, macros followed; sorted.
  std::vector<std::string> called(llvm::ArrayRef<StringRef> Uses) const {
    std::set<std::string> Found;
    llvm::StringSet<> Seen;
    follow(Uses, MacroDepth, Seen, Found);
    return {Found.begin(), Found.end()};
  }

  /// Whether some macro pastes something behind this.
  bool isPastedTo(StringRef Word) const { return Pasted.contains(Word); }

  std::string place(Place At) const {
    return Graph.files()[At.File].Path + ":" + std::to_string(At.Line);
  }

private:
  void add(uint32_t File) {
    StringRef Text = Graph.text(File);
    HeaderScan Scan = scanHeader(Text);
    auto At = [&](StringRef Word) {
      size_t Offset = Word.data() - Text.data();
      return Place{File, uint32_t(Text.take_front(Offset).count('\n') + 1)};
    };
    for (const ScannedBody &Body : Scan.Bodies)
      if (!Body.Names.empty())
        for (StringRef Name : Body.Names)
          Functions.insert(Name);
    for (ScannedMacro &Macro : Scan.Macros) {
      Macros.try_emplace(Macro.Name,
                         NameIndex::Macro{At(Macro.Name), Macro.Uses});
      for (StringRef Prefix : Macro.Prefixes)
        Pasted.insert(Prefix);
    }
    for (ScannedCall &Call : Scan.Calls)
      Calls.push_back(
          {At(Call.FirstName), Call.Macro, Call.FirstName, Call.Uses});
  }

  void follow(llvm::ArrayRef<StringRef> Uses, int Depth,
              llvm::StringSet<> &Seen, std::set<std::string> &Found) const {
    for (StringRef Use : Uses) {
      if (!Seen.insert(Use).second)
        continue;
      const Macro *Other = macro(Use);
      if (isFunction(Use) && !Other)
        Found.insert(Use.str());
      else if (Other && Depth)
        follow(Other->Uses, Depth - 1, Seen, Found);
    }
  }

  const IncludeGraph &Graph;
  llvm::StringSet<> Functions, Pasted;
  llvm::StringMap<Macro> Macros;
  std::vector<Call> Calls;
};

/// Whether a file that mentions the name has a body of that name.
bool hasBody(const IncludeGraph &Graph, StringRef Name) {
  for (uint32_t F = 0; F != Graph.files().size(); ++F) {
    if (!mentions(Graph.text(F), Name))
      continue;
    HeaderScan Scan = scanHeader(Graph.text(F));
    if (llvm::any_of(Scan.Bodies, [&](const ScannedBody &Body) {
          return llvm::is_contained(Body.Names, Name);
        }))
      return true;
  }
  return false;
}

/// "a(), b() and 3 more"
std::string someOf(const std::vector<std::string> &Names) {
  constexpr size_t Most = 4;
  std::string Text;
  for (size_t I = 0; I != Names.size() && I != Most; ++I)
    Text += (I ? ", " : "") + Names[I] + "()";
  if (Names.size() > Most)
    Text += " and " + std::to_string(Names.size() - Most) + " more";
  return Text;
}

class HotSearch {
public:
  HotSearch(const IncludeGraph &Graph, const Prober &Probe)
      : Graph(Graph), Probe(Probe) {}

  std::vector<HotName> run(llvm::ArrayRef<std::string> Names) {
    std::vector<HotName> Found;
    std::vector<std::string> Rest;
    for (const std::string &Name : Names)
      if (!hasBody(Graph, Name))
        Rest.push_back(Name);
    if (!Rest.empty()) {
      Index.emplace(Graph);
      askAboutMade(Rest);
    }
    for (const std::string &Name : Names)
      Found.push_back(llvm::is_contained(Rest, Name) ? explain(Name)
                                                     : function(Name));
    return Found;
  }

private:
  /// Macro calls at file scope that may make a function of this name.
  std::vector<const NameIndex::Call *> makersOf(StringRef Name) const {
    std::vector<const NameIndex::Call *> Found;
    for (const NameIndex::Call &Call : Index->calls())
      if (Call.Argument.size() >= MinArgument && Call.Argument != Name &&
          (Name.ends_with(Call.Argument) || Name.starts_with(Call.Argument)))
        Found.push_back(&Call);
    // What shares more letters is the likelier.
    llvm::stable_sort(Found, [](const auto *A, const auto *B) {
      return A->Argument.size() > B->Argument.size();
    });
    return Found;
  }

  void askAboutMade(llvm::ArrayRef<std::string> Names) {
    std::vector<uint32_t> Units;
    for (const std::string &Name : Names)
      if (!Index->macro(Name))
        for (const NameIndex::Call *Call : makersOf(Name))
          for (uint32_t Unit : Graph.unitsReading(Call->At.File, 1))
            if (Units.size() < MaxProbes && !llvm::is_contained(Units, Unit))
              Units.push_back(Unit);
    if (!Units.empty())
      Made = Probe(Units);
  }

  bool isMade(StringRef Name) const {
    for (const std::optional<TuFacts> &Facts : Made)
      if (Facts)
        for (const FunctionFact &Fn : Facts->Functions)
          if (Facts->Strings[Fn.Name] == Name)
            return true;
    return false;
  }

  /// Functions that the macro call defines, in the order of their definition:
  /// the last is the one whose body follows the call.
  std::vector<std::string> madeBy(const NameIndex::Call &Call) const {
    std::vector<std::string> Found;
    for (const std::optional<TuFacts> &Facts : Made)
      if (Facts && Found.empty())
        for (const FunctionFact &Fn : Facts->Functions)
          if (Fn.Line == Call.At.Line &&
              StringRef(Facts->Strings[Fn.Name]).contains(Call.Argument) &&
              StringRef(Graph.files()[Call.At.File].Path)
                  .ends_with(Facts->Strings[Fn.File]))
            Found.push_back(Facts->Strings[Fn.Name]);
    return Found;
  }

  HotName explain(const std::string &Name) const {
    if (const NameIndex::Macro *Macro = Index->macro(Name))
      return ofMacro(Name, "is a macro (" + Index->place(Macro->At) + ")",
                     Index->called(Macro->Uses));
    if (isMade(Name))
      return function(Name);
    for (const NameIndex::Call &Call : Index->calls())
      if (Call.Argument == Name)
        return ofMacro(Name,
                       "is what " + Call.Macro.str() + "() names at " +
                           Index->place(Call.At),
                       Index->called(Call.Uses));
    for (const NameIndex::Call *Call : makersOf(Name))
      if (std::vector<std::string> Functions = madeBy(*Call);
          !Functions.empty())
        return {Name, HotKind::Macro,
                "no such function; " + Call->Macro.str() + "() at " +
                    Index->place(Call->At) + " makes " + someOf(Functions) +
                    "; say " + Functions.back(),
                false};
    return ofText(Name);
  }

  static HotName function(const std::string &Name) {
    return {Name, HotKind::Function, "", false};
  }

  static HotName ofMacro(const std::string &Name, const std::string &What,
                         std::vector<std::string> Called) {
    std::string Text = What;
    llvm::erase(Called, Name);
    if (Called.empty())
      Text += ", and no function with a body is behind it";
    else
      Text += "; it leads to " + someOf(Called) + "; say " + Called.front() +
              (Called.size() > 1 ? " or another of them" : "");
    return {Name, HotKind::Macro, Text, false};
  }

  HotName ofText(const std::string &Name) const {
    if (std::optional<Place> At = mentionOf(Name))
      return {Name, HotKind::Elsewhere,
              "known at " + Index->place(*At) +
                  ", but no selected file has its body; add the file that "
                  "defines it to the paths",
              false};
    for (size_t Cut = 1; Cut < Name.size(); ++Cut)
      if (Index->isPastedTo(StringRef(Name).take_front(Cut)) &&
          mentionOf(StringRef(Name).drop_front(Cut)))
        return {Name, HotKind::Elsewhere,
                "no selected file has a function of that name, unless a macro "
                "makes it",
                false};
    return unknown(Name);
  }

  /// Where a name stands for the first time; a call or declaration if any.
  std::optional<Place> mentionOf(StringRef Name) const {
    std::optional<Place> First;
    for (uint32_t F = 0; F != Graph.files().size(); ++F) {
      StringRef Text = Graph.text(F);
      for (size_t At = Text.find(Name); At != StringRef::npos;
           At = Text.find(Name, At + 1)) {
        StringRef Behind = Text.drop_front(At + Name.size());
        if (!mentions(Text.slice(At ? At - 1 : 0, At + Name.size() + 1), Name))
          continue; // a part of another word
        const bool Called = Behind.ltrim(" \t").starts_with("(");
        if (First && !Called)
          continue;
        First = Place{F, uint32_t(Text.take_front(At).count('\n') + 1)};
        if (Called)
          return First;
      }
    }
    return First;
  }

  HotName unknown(const std::string &Name) const {
    std::string Best;
    unsigned Least = std::max<size_t>(2, Name.size() / 4) + 1;
    for (const auto &Known : Index->functions()) {
      std::string Other = Known.getKey().str();
      unsigned D = editDistance(Name, Other, Least);
      if (D < Least || (D == Least && !Best.empty() && Other < Best)) {
        Least = D;
        Best = std::move(Other);
      }
    }
    return {Name, HotKind::Unknown,
            "no selected file has a function of that name" +
                (Best.empty() ? "" : "; did you mean '" + Best + "'?"),
            !Best.empty()};
  }

  const IncludeGraph &Graph;
  const Prober &Probe;
  std::optional<NameIndex> Index;
  std::vector<std::optional<TuFacts>> Made;
};

} // namespace

std::vector<HotName> findHotNames(const IncludeGraph &Graph,
                                  llvm::ArrayRef<std::string> Names,
                                  const Prober &Probe) {
  return HotSearch(Graph, Probe).run(Names);
}

} // namespace kst
