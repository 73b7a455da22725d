// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/files/InputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace kst {

namespace fs = llvm::sys::fs;

using Buffer = std::unique_ptr<llvm::MemoryBuffer>;

static constexpr uint64_t MaxTextBytes = 16 << 20;

static llvm::Error failed(const std::string &File, const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 File + ": " + Why);
}

static std::string mebibytes(uint64_t Bytes) {
  return std::to_string(Bytes >> 20) + " MiB";
}

static llvm::Expected<Buffer> readPipe(fs::file_t From, const std::string &File,
                                       uint64_t MostBytes) {
  constexpr size_t Chunk = 1 << 20;
  llvm::SmallVector<char, 0> Bytes;
  for (;;) {
    size_t Had = Bytes.size();
    if (Had > MostBytes)
      return failed(File, "more than " + mebibytes(MostBytes) +
                              " from a pipe; give a file");
    Bytes.resize_for_overwrite(Had + Chunk);
    llvm::Expected<size_t> Got = fs::readNativeFile(
        From, llvm::MutableArrayRef(Bytes.data() + Had, Chunk));
    if (!Got)
      return failed(File, llvm::toString(Got.takeError()));
    Bytes.truncate(Had + *Got);
    if (!*Got)
      break;
  }
  return llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(Bytes.data(), Bytes.size()), File);
}

llvm::Expected<Buffer> inputBytes(const std::string &File, uint64_t MostBytes) {
  if (File == "-")
    return readPipe(fs::getStdinHandle(), "standard input",
                    std::min(MostBytes, MaxPipeBytes));
  fs::file_status Status;
  if (std::error_code Why = fs::status(File, Status))
    return failed(File, Why.message());
  if (Status.type() == fs::file_type::fifo_file) {
    llvm::Expected<fs::file_t> From = fs::openNativeFileForRead(File);
    if (!From)
      return failed(File, llvm::toString(From.takeError()));
    auto Bytes = readPipe(*From, File, std::min(MostBytes, MaxPipeBytes));
    fs::closeFile(*From);
    return Bytes;
  }
  if (!fs::is_regular_file(Status))
    return failed(File, "not a regular file");
  if (Status.getSize() > MostBytes)
    return failed(File, "larger than " + mebibytes(MostBytes));
  auto Bytes = llvm::MemoryBuffer::getFile(File, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!Bytes)
    return failed(File, Bytes.getError().message());
  return std::move(*Bytes);
}

llvm::Expected<std::string> readFile(const std::string &File) {
  if (!fs::is_regular_file(File))
    return failed(File, "no such regular file");
  llvm::Expected<Buffer> Bytes = inputBytes(File, MaxTextBytes);
  if (!Bytes)
    return Bytes.takeError();
  return (*Bytes)->getBuffer().str();
}

std::optional<std::string> textIfThere(const std::string &File) {
  llvm::Expected<std::string> Text = readFile(File);
  if (Text)
    return std::move(*Text);
  llvm::consumeError(Text.takeError());
  return std::nullopt;
}

std::string nameOfFile(const std::string &Root, const std::string &Name) {
  llvm::SmallString<256> Real, Top;
  const std::string Path = Root + "/" + Name;
  if (llvm::sys::fs::real_path(Root, Top))
    return Name;
  if (llvm::sys::fs::real_path(Path, Real)) {
    if (llvm::sys::fs::real_path(llvm::sys::path::parent_path(Path), Real))
      return Name;
    llvm::sys::path::append(Real, llvm::sys::path::filename(Path));
  }
  llvm::StringRef Found = Real;
  return Found.consume_front(Top) && Found.consume_front("/") ? Found.str()
                                                              : Name;
}

} // namespace kst
