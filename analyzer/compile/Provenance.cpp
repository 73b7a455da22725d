// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/Provenance.h"

#include "analyzer/compile/ProjectRoot.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {
namespace {

/// kbuild's own files in a tree that is built where it lies.
bool isOfKbuild(const SourceTree &Tree, StringRef File) {
  return Tree.Kernel &&
         is_contained(make_range(sys::path::begin(File), sys::path::end(File)),
                      StringRef("generated"));
}

/// The root of a repository between the project's own and the file, or "".
std::string innerRepository(const SourceTree &Tree, StringRef Path) {
  std::string Inner = repositoryAround(sys::path::parent_path(Path));
  if (Inner == Tree.SourceRoot || !isBelow(Inner, Tree.SourceRoot))
    return "";
  return Inner;
}

} // namespace

std::string whyForeign(const SourceTree &Tree, ArrayRef<std::string> Selected,
                       StringRef File, bool System) {
  const std::string Path = absolutePath(Tree.SourceRoot, File);
  if (System)
    return "it is in a system header";
  if (Tree.isGenerated(Path) || isOfKbuild(Tree, File))
    return "the build generates its file";
  if (!isBelow(Path, Tree.SourceRoot))
    return "its file is outside of the project " + Tree.SourceRoot;
  if (std::string Inner = innerRepository(Tree, Path);
      !Inner.empty() && none_of(Selected, [&](const std::string &Named) {
        return isBelow(Named, Inner);
      }))
    return "it belongs to " + Tree.relative(Inner) +
           ", a repository inside of the project that no path selects";
  return "";
}

bool saysGenerated(StringRef Text) {
  constexpr size_t Top = 2048;
  Text = Text.take_front(Top);
  auto Says = [&](StringRef Words) {
    return Text.find_insensitive(Words) != StringRef::npos;
  };
  return Says("@generated") ||
         (Says("generated") &&
          any_of(ArrayRef{"do not edit", "do not modify", "do not change"},
                 Says));
}

} // namespace kst
