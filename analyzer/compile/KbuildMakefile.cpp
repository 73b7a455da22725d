// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildMakefile.h"

#include "analyzer/compile/MakeFunctions.h"
#include "analyzer/compile/ShellWords.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace llvm;

namespace kst {
namespace {

class Reader {
public:
  Reader(const KbuildPlace &Place, const SourceTree &Tree, const MakeHost &Host,
         const Makefile &Top)
      : Place(Place), Tree(Tree), Host(Host), File(Host, &Top) {
    // What Makefile.build clears, and what goes for each directory.
    for (const char *Name :
         {"obj-y", "obj-m", "lib-y", "lib-m", "always-y", "always-m", "extra-y",
          "subdir-y", "subdir-m", "targets", "ccflags-y", "EXTRA_CFLAGS",
          "subdir-ccflags-y", "ccflags-remove-y"})
      File.set(Name, "");
    for (StringRef Name : namesOf(NameKind::BuiltInList))
      File.set(Name, "");
    File.set("srctree", Tree.SourceRoot);
    File.set("objtree", Tree.ObjectRoot);
    File.set("src", absolutePath(Tree.SourceRoot, Place.Directory));
    File.set("srcroot", Tree.SourceRoot);
    File.set("obj", Place.Directory.empty() ? "." : Place.Directory);
    File.set("KBUILD_CFLAGS", Place.Flags);
  }

  KbuildDirectory run(StringRef Text) {
    File.read(Text);
    Shared = text({"KBUILD_CFLAGS", "subdir-ccflags-y"});
    Own = text({"ccflags-y", "EXTRA_CFLAGS"});
    Remove = File.value("ccflags-remove-y");
    std::string BuiltIn, Modules = File.value("obj-m") + ' ';
    for (StringRef List : namesOf(NameKind::BuiltInList))
      if (List != "lib-y")
        BuiltIn += File.value(List) + ' ';
    Libraries = File.value("lib-y") + ' ' + File.value("lib-m");
    descend(BuiltIn, Place.BuiltIn);
    descend(Modules, false);
    descend(Libraries, Place.BuiltIn);
    const std::string Visited = text({"subdir-y", "subdir-m"});
    for (StringRef Word : makeWords(Visited))
      enter(Word.rtrim('/'), false);

    const StringSet<> InKernel = objectsOf(BuiltIn);
    if (Place.BuiltIn)
      for (StringRef Name : inOrder(BuiltIn))
        expandComposite(Name, {"-objs", "-y"}, false);
    for (StringRef Name : inOrder(Libraries))
      if (!InKernel.contains(Name))
        addPart(Name, Name, false);
    for (StringRef Name : inOrder(Modules))
      if (!InKernel.contains(Name))
        expandComposite(Name, {"-objs", "-y", "-m"}, true);
    if (Place.BuiltIn)
      for (StringRef Name : inOrder(File.value("extra-y")))
        addPart(Name, Name, false);
    finish();
    return std::move(Out);
  }

private:
  std::string text(ArrayRef<const char *> Names) {
    std::string Joined;
    for (const char *Name : Names)
      if (std::string Value = File.value(Name); !Value.empty())
        Joined += (Joined.empty() ? "" : " ") + Value;
    return Joined;
  }

  /// `foo.o` of a list as `foo`; kept alive here.
  std::vector<StringRef> inOrder(const std::string &List) {
    std::vector<StringRef> Names;
    for (StringRef Word : makeWords(List))
      if (Word.consume_back(".o"))
        Names.push_back(Kept.insert(Word).first->getKey());
    return Names;
  }
  StringSet<> objectsOf(const std::string &List) {
    StringSet<> Names;
    for (StringRef Name : inOrder(List))
      Names.insert(Name);
    return Names;
  }

  std::string place(StringRef Name) const {
    SmallString<128> Path(Place.Directory);
    sys::path::append(Path, Name);
    sys::path::remove_dots(Path, true);
    return std::string(Path);
  }

  void descend(const std::string &List, bool BuiltIn) {
    for (StringRef Word : makeWords(List))
      if (Word.consume_back("/"))
        enter(Word, BuiltIn);
  }
  void enter(StringRef Name, bool BuiltIn) {
    Name.consume_front("./");
    std::string Directory = place(Name);
    auto Known = llvm::find_if(Out.Subdirs, [&](const KbuildPlace &Other) {
      return Other.Directory == Directory;
    });
    if (Known == Out.Subdirs.end())
      Out.Subdirs.push_back({std::move(Directory), BuiltIn, Shared});
    else
      Known->BuiltIn |= BuiltIn;
  }

  /// An object is composite if any of NAME-objs, NAME-y, NAME-m and NAME- says
  /// something; otherwise it is compiled from a source of its own name.
  void expandComposite(StringRef Name, ArrayRef<const char *> Suffixes,
                       bool Loadable) {
    std::string Parts;
    for (const char *Suffix : Suffixes)
      Parts += File.value((Name + Suffix).str()) + ' ';
    const std::string Off = File.value((Name + "-").str());
    if (makeWords(Parts).empty() && makeWords(Off).empty())
      return addPart(Name, Name, Loadable);
    for (StringRef Part : inOrder(Parts))
      addPart(Part, Name, Loadable);
  }

  /// objcopy makes foo.stub.o of foo.o, which is what is compiled.
  StringRef compiled(StringRef Stem) const {
    StringRef Shorter = Stem.take_front(Stem.rfind('.'));
    auto Exists = [&](StringRef Name) {
      std::string File = absolutePath(Tree.SourceRoot, place(Name) + ".c");
      return Host.Match && !Host.Match(File).empty();
    };
    return Shorter.size() < Stem.size() && !Exists(Stem) && Exists(Shorter)
               ? Shorter
               : Stem;
  }

  void addPart(StringRef Listed, StringRef Composite, bool Loadable) {
    const StringRef Stem = compiled(Listed);
    if (Composite == Listed)
      Composite = Stem;
    auto [Entry, New] = Parts.try_emplace(Stem, Out.Objects.size());
    if (New) {
      KbuildObject &Object = Out.Objects.emplace_back();
      Object.Stem = place(Stem);
      Object.Directory = Place.Directory;
      Object.Loadable = Loadable;
      Object.Flags = flagsOf(Stem);
      Composites.emplace_back();
    }
    if (Stem != Composite)
      Composites[Entry->second].insert(Composite.str());
  }

  /// _c_flags of scripts/Makefile.lib.
  std::vector<std::string> flagsOf(StringRef Stem) {
    const std::string Base = Shared + ' ' + Own;
    const std::string More = File.value(("CFLAGS_" + Stem + ".o").str());
    const std::string Less = File.value(("CFLAGS_REMOVE_" + Stem + ".o").str());
    if (More.empty() && Less.empty() && !Usual.empty())
      return Usual;
    std::string All = wordFunction("filter-out", {Remove, Base}) + ' ' + More;
    if (!Less.empty())
      All = wordFunction("filter-out", {Less, All});
    std::vector<std::string> Words;
    for (auto &Command : splitShell(All))
      llvm::append_range(Words, Command);
    // Before 6.10 $(src) was relative: -I$(srctree)/$(src).
    const std::string Twice = "-I" + Tree.SourceRoot + Tree.SourceRoot;
    const std::string Slash = "-I" + Tree.SourceRoot + "/" + Tree.SourceRoot;
    for (std::string &Word : Words)
      for (const std::string &Wrong : {Twice, Slash})
        if (StringRef(Word).starts_with(Wrong))
          Word = "-I" + Tree.SourceRoot + Word.substr(Wrong.size());
    if (More.empty() && Less.empty())
      Usual = Words;
    return Words;
  }

  void finish() {
    for (size_t I = 0; I != Out.Objects.size(); ++I) {
      KbuildObject &Object = Out.Objects[I];
      if (Composites[I].empty()) // of its own
        Object.Module = sys::path::filename(Object.Stem).str();
      for (const std::string &Name : Composites[I])
        Object.Module += (Object.Module.empty() ? "" : ":") + Name;
      Object.ModuleFile = place(Object.Module);
    }
  }

  const KbuildPlace &Place;
  const SourceTree &Tree;
  const MakeHost &Host;
  Makefile File;
  std::string Shared, Own, Remove, Libraries;
  std::vector<std::string> Usual; ///< flags without CFLAGS_ of a file
  StringSet<> Kept;
  StringMap<size_t> Parts;                       ///< stem -> index
  std::vector<std::set<std::string>> Composites; ///< beside Out.Objects
  KbuildDirectory Out;
};

} // namespace

KbuildDirectory readKbuildFile(StringRef Text, const KbuildPlace &Place,
                               const SourceTree &Tree, const MakeHost &Host,
                               const Makefile &Top) {
  return Reader(Place, Tree, Host, Top).run(Text);
}

} // namespace kst
