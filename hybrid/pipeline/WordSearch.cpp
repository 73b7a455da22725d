// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/WordSearch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

static bool isWordChar(char C) { return llvm::isAlnum(C) || C == '_'; }

static void look(llvm::StringRef Text, const llvm::StringSet<> &Wanted,
                 std::set<std::string> &Found) {
  for (size_t At = 0; At < Text.size();) {
    if (!isWordChar(Text[At])) {
      ++At;
      continue;
    }
    size_t End = At;
    while (End < Text.size() && isWordChar(Text[End]))
      ++End;
    if (const llvm::StringRef Word = Text.slice(At, End); Wanted.contains(Word))
      Found.insert(Word.str());
    At = End;
  }
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
