// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/compile/OffsetsUnits.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using llvm::StringRef;

namespace kst {

/// Below `arch/NAME/`. The second is read with units of its own folder only:
/// it names what no other code defines.
/// `x86` of `-I/some/where/arch/x86/include`; "" if there is none.
static StringRef architecture(const CompileUnit &Unit) {
  for (StringRef Arg : Unit.Args) {
    size_t At = Arg.rfind("arch/");
    if (At == StringRef::npos ||
        (At && Arg[At - 1] != '/' && Arg[At - 1] != 'I'))
      continue;
    auto [Name, Rest] = Arg.drop_front(At + strlen("arch/")).split('/');
    if (Rest == "include" || Rest.starts_with("include/"))
      return Name;
  }
  return "";
}

std::vector<CompileUnit> offsetsUnits(const UnitList &List) {
  std::vector<CompileUnit> Found;
  for (uint32_t Build = 0; Build != List.Builds.size(); ++Build) {
    // A module's flags would hide what only the kernel itself sees.
    auto OfBuild = [&](const CompileUnit &Unit) { return Unit.Build == Build; };
    auto InKernel = [&](const CompileUnit &Unit) {
      return OfBuild(Unit) && !llvm::is_contained(Unit.Args, "-DMODULE");
    };
    auto Model = llvm::find_if(List.Units, InKernel);
    if (Model == List.Units.end())
      Model = llvm::find_if(List.Units, OfBuild);
    if (Model == List.Units.end())
      continue;
    StringRef Name = architecture(*Model);
    if (Name.empty())
      continue;
    for (std::string_view File : namesOf(NameKind::OffsetsSource)) {
      std::string Relative = ("arch/" + Name + "/" + StringRef(File)).str();
      std::string Path = List.Builds[Build].SourceRoot + "/" + Relative;
      StringRef Folder = StringRef(Relative).rsplit('/').first;
      bool Wanted = File == namesOf(NameKind::OffsetsSource).front() ||
                    llvm::any_of(List.Units, [&](const CompileUnit &Unit) {
                      return StringRef(Unit.Relative).starts_with(Folder);
                    });
      if (!Wanted || !llvm::sys::fs::is_regular_file(Path))
        continue;
      CompileUnit Unit = *Model;
      Unit.File = Unit.Args.back() = Path;
      Unit.Relative = Relative;
      Found.push_back(std::move(Unit));
    }
  }
  return Found;
}

} // namespace kst
