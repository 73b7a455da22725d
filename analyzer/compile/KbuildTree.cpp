// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/KbuildTree.h"

#include "analyzer/compile/BuildTree.h"
#include "analyzer/compile/FlagAdjuster.h"
#include "analyzer/compile/MakeFunctions.h"
#include "analyzer/compile/ShellWords.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace kst {
namespace {

/// Names that a pattern matches; only its last part may be one.
std::vector<std::string> matching(StringRef Directory, StringRef Pattern) {
  if (Pattern.find_first_of("*?[") == StringRef::npos)
    return sys::fs::exists(absolutePath(Directory, Pattern))
               ? std::vector{Pattern.str()}
               : std::vector<std::string>();
  StringRef Home = sys::path::parent_path(Pattern);
  auto Glob = GlobPattern::create(sys::path::filename(Pattern));
  if (!Glob) {
    consumeError(Glob.takeError());
    return {};
  }
  std::vector<std::string> Found;
  std::error_code Why;
  sys::fs::directory_iterator It(absolutePath(Directory, Home), Why);
  for (sys::fs::directory_iterator End; !Why && It != End; It.increment(Why)) {
    StringRef Name = sys::path::filename(It->path());
    if (!Name.starts_with(".") && Glob->match(Name))
      Found.push_back((Home.empty() ? "" : Home.str() + "/") + Name.str());
  }
  llvm::sort(Found);
  return Found;
}

/// True when one lies in the other, or both are the same.
bool onTheWay(StringRef Directory, StringRef Wanted) {
  return Directory.empty() || Wanted.empty() || isBelow(Directory, Wanted) ||
         isBelow(Wanted, Directory);
}

/// Does the compiler take these flags? Warnings shape no meaning.
bool accepts(StringRef Flags) {
  return all_of(makeWords(Flags), [](StringRef Word) {
    return !Word.starts_with("-W") && !Word.starts_with("--param") &&
           isClangFlag(Word);
  });
}

} // namespace

std::string archOfIncludes(const std::vector<std::string> &Args) {
  for (StringRef Word : Args) {
    size_t At = Word.rfind("arch/");
    if (At == StringRef::npos ||
        (At && Word[At - 1] != '/' && Word[At - 1] != 'I'))
      continue;
    auto [Name, Rest] = Word.drop_front(At + 5).split('/');
    if (Rest == "include" || Rest.starts_with("include/"))
      return Name.str();
  }
  return "";
}

KbuildTree::KbuildTree(const SourceTree &Tree, const KernelConfig &Config,
                       StringRef Arch, std::string Flags)
    : Tree(Tree), Flags(std::move(Flags)), Top(Host) {
  Host.Read = [this](StringRef File) { return textOf(File); };
  Host.Match = [this](StringRef Pattern) {
    return matching(this->Tree.ObjectRoot, Pattern);
  };
  Host.Call = [this](StringRef Name, ArrayRef<std::string> Args) {
    return answer(Name, Args);
  };
  for (const auto &Entry : Config.Values)
    Top.set(Entry.getKey(), Entry.getValue());
  readTop(Arch);
}

/// The top Makefile as the make in the object directory reads it.
void KbuildTree::readTop(StringRef Arch) {
  const std::string File = Tree.SourceRoot + "/Makefile";
  const std::pair<const char *, StringRef> Given[] = {
      {"MAKEFILE_LIST", File},
      {"srctree", Tree.SourceRoot},
      {"abs_srctree", Tree.SourceRoot},
      {"objtree", Tree.ObjectRoot},
      {"abs_objtree", Tree.ObjectRoot},
      {"CURDIR", Tree.ObjectRoot},
      {"VPATH", Tree.SourceRoot},
      {"ARCH", Arch},
      {"SRCARCH", Arch},
      {"sub_make_done", "1"},
      {"MAKEFLAGS", "--no-print-directory"},
      {"MAKE_VERSION", "4.3"},
      {"CC", "clang"}};
  for (const auto &[Name, Value] : Given)
    Top.set(Name, Value);
  if (auto Text = textOf(File))
    Top.read(*Text);
  for (const auto &[Name, Value] : Given)
    Top.set(Name, Value);
  if (!Top.has("BITS") || Top.value("BITS").empty())
    Top.set("BITS", Top.value("CONFIG_64BIT") == "y" ? "64" : "32");
}

std::vector<std::string> KbuildTree::words(StringRef Name) {
  std::vector<std::string> Out;
  for (auto &Command : splitShell(Top.value(Name)))
    llvm::append_range(Out, Command);
  return Out;
}

/// What only a compiler could say.
std::optional<std::string> KbuildTree::answer(StringRef Name,
                                              ArrayRef<std::string> Args) {
  auto Arg = [&](size_t I) {
    return I < Args.size() ? StringRef(Args[I]).trim() : StringRef();
  };
  auto Number = [&](size_t I) {
    uint64_t Value = 0;
    return Arg(I).getAsInteger(10, Value) ? 0 : Value;
  };
  auto Truth = [](bool Holds) { return std::string(Holds ? "y" : ""); };
  if (Name == "cc-option" || Name == "__cc-option")
    return (accepts(Arg(0)) ? Arg(0) : Arg(1)).str();
  if (Name == "cc-option-yn")
    return std::string(accepts(Arg(0)) ? "y" : "n");
  if (Name == "test-ge")
    return Truth(Number(0) >= Number(1));
  if (Name == "test-gt")
    return Truth(Number(0) > Number(1));
  if (Name == "test-le")
    return Truth(Number(0) <= Number(1));
  if (Name == "test-lt")
    return Truth(Number(0) < Number(1));
  if (Name == "cc-disable-warning" || Name == "try-run" ||
      Name == "as-option" || Name == "as-instr" || Name == "ld-option")
    return std::string();
  return std::nullopt;
}

/// kbuild prefers Kbuild over Makefile.
std::string KbuildTree::fileOf(StringRef Directory) const {
  std::string Full = absolutePath(Tree.SourceRoot, Directory);
  for (const char *Name : {"Kbuild", "Makefile"}) {
    std::string File = absolutePath(Full, Name);
    if (sys::fs::is_regular_file(File))
      return File;
  }
  return "";
}

std::optional<std::string> KbuildTree::textOf(StringRef File) const {
  // The values of the configuration are there already. Before 6.10 $(src) was
  // relative: $(srctree)/$(src)/x.
  if (File.ends_with("include/config/auto.conf"))
    return std::nullopt;
  StringRef Name = File;
  if (Name.consume_front(Tree.SourceRoot))
    if (StringRef Rest = Name.ltrim('/');
        ("/" + Rest).str().find(Tree.SourceRoot) == 0)
      File = Name.drop_front(Name.find(Tree.SourceRoot));
  auto Text = readRegularFile(absolutePath(Tree.ObjectRoot, File));
  if (Text)
    return (*Text)->getBuffer().str();
  consumeError(Text.takeError());
  return std::nullopt;
}

std::vector<KbuildObject> KbuildTree::objects(StringRef Relative) {
  std::vector<KbuildObject> Found;
  for (bool Everywhere : {false, true}) {
    std::set<std::string> Visited;
    std::vector<KbuildPlace> Pending{{"", true, Flags}};
    for (StringRef Word : makeWords(Top.value("vmlinux-dirs"))) // before 6.1
      Pending.push_back({Word.str(), true, Flags});
    while (!Pending.empty()) {
      KbuildPlace Place = std::move(Pending.back());
      Pending.pop_back();
      std::string File = fileOf(Place.Directory);
      if (File.empty() || !Visited.insert(Place.Directory).second)
        continue;
      std::optional<std::string> Text = textOf(File);
      if (!Text ||
          (Place.Directory.empty() && sys::path::filename(File) == "Makefile"))
        continue;
      KbuildDirectory Here = readKbuildFile(*Text, Place, Tree, Host, Top);
      for (KbuildObject &Object : Here.Objects)
        if (Relative.empty() || isBelow(Object.Stem, Relative))
          Found.push_back(std::move(Object));
      for (KbuildPlace &Sub : Here.Subdirs)
        if (Everywhere || onTheWay(Sub.Directory, Relative))
          Pending.push_back(std::move(Sub));
    }
    if (!Found.empty() || Relative.empty())
      break;
  }
  auto Key = [](const KbuildObject &Object) {
    return std::make_tuple(StringRef(Object.Stem), Object.Loadable);
  };
  llvm::stable_sort(Found, [&](const KbuildObject &A, const KbuildObject &B) {
    return Key(A) < Key(B);
  });
  Found.erase(
      unique(Found, [](const KbuildObject &A,
                       const KbuildObject &B) { return A.Stem == B.Stem; }),
      Found.end());
  return Found;
}

} // namespace kst
