// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/WordSearch.h"

#include "hybrid/core/Words.h"
#include "hybrid/pipeline/TreeFiles.h"

#include "llvm/ADT/StringSet.h"

namespace kst {

std::set<std::string> wordsInFiles(const std::vector<std::string> &Directories,
                                   const std::set<std::string> &Words) {
  llvm::StringSet<> Wanted;
  for (const std::string &Word : Words)
    Wanted.insert(Word);
  std::set<std::string> Found;
  auto Look = [&](llvm::StringRef, llvm::StringRef Text) {
    forEachWord(Text, [&](std::string_view Word) {
      if (Wanted.contains(Word))
        Found.emplace(Word);
    });
    return Found.size() != Words.size();
  };
  for (const std::string &Directory : Directories)
    if (!forEachSource(Directory, Look))
      break;
  return Found;
}

} // namespace kst
