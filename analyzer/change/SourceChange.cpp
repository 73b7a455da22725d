// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/SourceChange.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace kst {

Expected<SourceChange> readChange(const std::string &Asked,
                                  const std::string &Root) {
  // Names of directories may have dots of their own.
  bool Splits = false;
  for (size_t Dots = 0; (Dots = Asked.find("..", Dots)) != std::string::npos;
       ++Dots) {
    Splits = true;
    const std::string Old = Asked.substr(0, Dots), New = Asked.substr(Dots + 2);
    if (sys::fs::is_directory(Old) && sys::fs::is_directory(New))
      return changeOfTrees(Old, New, Root);
    // No revision is a directory with a path: the other one is misspelt.
    auto IsPath = [](const std::string &Name) {
      return Name.find('/') != std::string::npos && sys::fs::is_directory(Name);
    };
    if (IsPath(Old) != IsPath(New))
      return createStringError(std::errc::no_such_file_or_directory,
                               "%s: no such directory",
                               (IsPath(Old) ? New : Old).c_str());
  }
  if (Asked == "-" || (sys::fs::exists(Asked) && !sys::fs::is_directory(Asked)))
    return changeOfPatch(Asked, Root);
  if (!Splits)
    return createStringError(
        std::errc::invalid_argument,
        "%s: not a patch; a change is BASE..HEAD with two revisions or two "
        "directories, or the name of a patch",
        Asked.c_str());
  auto [Base, Head] = StringRef(Asked).split("..");
  const bool SinceFork = Head.consume_front(".");
  return changeOfRevisions(Base.empty() ? "HEAD" : Base,
                           Head.empty() ? "HEAD" : Head, SinceFork, Root);
}

} // namespace kst
