// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/TreeFiles.h"

#include "analyzer/change/SameCode.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

namespace fs = llvm::sys::fs;

bool forEachSource(
    const std::string &Directory,
    llvm::function_ref<bool(llvm::StringRef Path, llvm::StringRef Text)> Take) {
  std::error_code Why;
  for (fs::recursive_directory_iterator
           At(Directory, Why, /*follow_symlinks=*/false),
       End;
       !Why && At != End; At.increment(Why)) {
    const llvm::StringRef Path = At->path();
    if (!(mayBeCode(Path) || Path.ends_with(".S")) ||
        At->type() != fs::file_type::regular_file)
      continue;
    if (auto Text = llvm::MemoryBuffer::getFile(
            Path, /*IsText=*/false, /*RequiresNullTerminator=*/false))
      if (!Take(Path, (*Text)->getBuffer()))
        return false;
  }
  return true;
}

} // namespace kst
