// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/WordSearch.h"

#include "hybrid/core/Words.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

static void look(llvm::StringRef Text, const llvm::StringSet<> &Wanted,
                 std::set<std::string> &Found) {
  forEachWord(Text, [&](std::string_view Word) {
    if (Wanted.contains(Word))
      Found.emplace(Word);
  });
}

std::set<std::string> wordsInFiles(const std::vector<std::string> &Directories,
                                   const std::set<std::string> &Words) {
  llvm::StringSet<> Wanted;
  for (const std::string &Word : Words)
    Wanted.insert(Word);
  std::set<std::string> Found;
  for (const std::string &Directory : Directories) {
    std::error_code Why;
    for (llvm::sys::fs::recursive_directory_iterator
             At(Directory, Why, /*follow_symlinks=*/false),
         End;
         !Why && At != End; At.increment(Why)) {
      const llvm::StringRef Path = At->path();
      if (!(Path.ends_with(".c") || Path.ends_with(".h") ||
            Path.ends_with(".S")) ||
          At->type() != llvm::sys::fs::file_type::regular_file)
        continue;
      if (auto Text = llvm::MemoryBuffer::getFile(Path))
        look((*Text)->getBuffer(), Wanted, Found);
      if (Found.size() == Words.size())
        return Found;
    }
  }
  return Found;
}

} // namespace kst
