// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/OffsetsUnits.h"

#include "analyzer/compile/KbuildTree.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using llvm::StringRef;

namespace kst {

/// -D and its macro are one word or two.
static bool isOfModule(const CompileUnit &Unit) {
  for (size_t I = 0; I != Unit.Args.size(); ++I)
    if (Unit.Args[I] == "-DMODULE" ||
        (I && Unit.Args[I] == "MODULE" && Unit.Args[I - 1] == "-D"))
      return true;
  return false;
}

/// What kbuild calls the file by is not what it calls the model by: the same
/// command whichever units are selected.
static void nameByFile(std::string &Arg, StringRef Stem) {
  const StringRef Option = StringRef(Arg).starts_with("-D") ? "-D" : "";
  const StringRef Name = StringRef(Arg).drop_front(Option.size());
  for (const char *Macro : {"KBUILD_MODFILE=", "KBUILD_BASENAME=",
                            "KBUILD_MODNAME=", "__KBUILD_MODNAME="})
    if (Name.starts_with(Macro)) {
      const StringRef Quote = Name.contains('"') ? "\"" : "";
      Arg = (Option + Macro + Quote + Stem + Quote).str();
      return;
    }
}

std::vector<CompileUnit> offsetsUnits(const UnitList &List) {
  std::vector<CompileUnit> Found;
  for (uint32_t Build = 0; Build != List.Builds.size(); ++Build) {
    // A module's flags would hide what only the kernel itself sees.
    auto OfBuild = [&](const CompileUnit &Unit) { return Unit.Build == Build; };
    auto InKernel = [&](const CompileUnit &Unit) {
      return OfBuild(Unit) && !isOfModule(Unit);
    };
    auto Model = llvm::find_if(List.Units, InKernel);
    if (Model == List.Units.end())
      Model = llvm::find_if(List.Units, OfBuild);
    if (Model == List.Units.end())
      continue;
    const std::string Name = archOfIncludes(Model->Args);
    if (Name.empty())
      continue;
    for (std::string_view File : namesOf(NameKind::OffsetsSource)) {
      std::string Relative =
          ("arch/" + llvm::Twine(Name) + "/" + StringRef(File)).str();
      std::string Path = List.Builds[Build].Tree.SourceRoot + "/" + Relative;
      StringRef Folder = StringRef(Relative).rsplit('/').first;
      bool Wanted = File == namesOf(NameKind::OffsetsSource).front() ||
                    llvm::any_of(List.Units, [&](const CompileUnit &Unit) {
                      return StringRef(Unit.Relative).starts_with(Folder);
                    });
      if (!Wanted || !llvm::sys::fs::is_regular_file(Path))
        continue;
      CompileUnit Unit = *Model;
      std::string Stem = llvm::sys::path::stem(File).str();
      std::replace(Stem.begin(), Stem.end(), '-',
                   '_'); // an identifier, as kbuild does
      for (std::string &Arg : Unit.Args)
        nameByFile(Arg, Stem);
      Unit.File = Unit.Args.back() = Path;
      Unit.Relative = Relative;
      Found.push_back(std::move(Unit));
    }
  }
  return Found;
}

} // namespace kst
