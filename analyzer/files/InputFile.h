// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files that a user names to be read: never a device, never more than was
// agreed on.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kst {

/// The bytes of File, a short text. An error names it and says what is wrong:
/// not there, not a regular file, larger than 16 MiB, not readable.
llvm::Expected<std::string> readFile(const std::string &File);

/// The same where it does not matter why there is none.
std::optional<std::string> textIfThere(const std::string &File);

/// The file that Root/Name leads to, by its name below Root, symbolic links
/// followed: patches change files, not links. Name as it is when that file lies
/// elsewhere. A file that is not there has a directory that may be.
std::string nameOfFile(const std::string &Root, const std::string &Name);

/// The most that a command reads of one file of measurements, or of a pipe.
inline constexpr uint64_t MaxInputBytes = uint64_t(4) << 30;
inline constexpr uint64_t MaxPipeBytes = uint64_t(1) << 30;

/// The bytes of File, mapped if it is a regular file, read if it is a pipe; "-"
/// is standard input. An error names it and says what is wrong: not there, a
/// directory or device, larger than MostBytes, not readable. The size is looked
/// at first.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
inputBytes(const std::string &File, uint64_t MostBytes = MaxInputBytes);

inline std::string_view bytesOf(const llvm::MemoryBuffer &Buffer) {
  return {Buffer.getBufferStart(), Buffer.getBufferSize()};
}

} // namespace kst
