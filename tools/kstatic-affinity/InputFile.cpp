// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kst {

namespace fs = llvm::sys::fs;

static constexpr uint64_t MaxBytes = 16 << 20;

llvm::Expected<std::string> readFile(const std::string &File) {
  auto Failed = [&](const std::string &Why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s: %s",
                                   File.c_str(), Why.c_str());
  };
  fs::file_status Status;
  if (fs::status(File, Status) || !fs::is_regular_file(Status))
    return Failed("no such regular file");
  if (Status.getSize() > MaxBytes)
    return Failed("larger than 16 MiB");
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return Failed(Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

} // namespace kst
