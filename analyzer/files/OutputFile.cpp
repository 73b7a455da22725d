// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/files/OutputFile.h"

#include "analyzer/run/InterruptGuard.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace kst {

namespace fs = llvm::sys::fs;

static llvm::Error failed(const std::string &File, std::error_code Why) {
  return llvm::createStringError(Why, "cannot write %s: %s", File.c_str(),
                                 Why.message().c_str());
}

llvm::Expected<std::unique_ptr<FileStream>>
FileStream::create(const std::string &File) {
  std::unique_ptr<FileStream> Made(new FileStream(File));
  if (File == "-") {
    Made->File = "standard output";
    Made->Out = &llvm::outs();
    return Made;
  }
  fs::file_status Status;
  bool Special = !fs::status(File, Status) && fs::exists(Status) &&
                 !fs::is_regular_file(Status);
  if (Special) {
    std::error_code Why;
    Made->Owned =
        std::make_unique<llvm::raw_fd_ostream>(File, Why, fs::CD_OpenExisting);
    Made->Out = Made->Owned.get();
    if (Why)
      return failed(File, Why);
    return Made;
  }
  // A file that is there keeps its mode, and a link to it stays one.
  Made->Real = File;
  if (fs::exists(Status)) {
    Made->Mode = Status.permissions();
    if (std::error_code Why = fs::real_path(File, Made->Real))
      return failed(File, Why);
  }
  llvm::Expected<fs::TempFile> Temp =
      fs::TempFile::create(Made->Real + ".tmp-%%%%%%",
                           Made->Mode.value_or(fs::all_read | fs::owner_write));
  if (!Temp)
    return failed(File, llvm::errorToErrorCode(Temp.takeError()));
  Made->Temp.emplace(std::move(*Temp));
  Made->Owned = std::make_unique<llvm::raw_fd_ostream>(Made->Temp->FD,
                                                       /*shouldClose=*/false);
  Made->Out = Made->Owned.get();
  return Made;
}

FileStream::~FileStream() {
  if (Out)
    Out->clear_error(); // else the stream ends the process
  Owned.reset();
  if (Temp)
    llvm::consumeError(Temp->discard());
}

bool FileStream::write(llvm::StringRef Bytes) {
  *Out << Bytes;
  return !Out->has_error();
}

llvm::Error FileStream::keep() {
  Out->flush();
  std::error_code Why = Out->error();
  Out->clear_error();
  if (!Why && Temp && Mode)
    Why = fs::setPermissions(Temp->FD, *Mode); // the umask is for new files
  if (Why)
    return failed(File, Why);
  if (!Temp)
    return llvm::Error::success();
  Owned.reset();
  Out = nullptr;
  llvm::Error E = Temp->keep(Real);
  Temp.reset();
  if (E)
    return failed(File, llvm::errorToErrorCode(std::move(E)));
  return llvm::Error::success();
}

llvm::Error writeFile(const std::string &File, llvm::StringRef Text) {
  auto Out = FileStream::create(File);
  if (!Out)
    return Out.takeError();
  (*Out)->write(Text);
  return (*Out)->keep();
}

/// Whether a file can be made in a directory: by one without a name, which
/// leaves no trace, where the file system can do that.
static std::error_code probeDirectory(const std::string &Path) {
  int Fd = ::open(Path.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (Fd >= 0) {
    ::close(Fd);
    return {};
  }
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
    return {errno, std::generic_category()};
  return ::access(Path.c_str(), W_OK | X_OK)
             ? std::error_code(errno, std::generic_category())
             : std::error_code();
}

llvm::Error checkWritable(const std::string &File) {
  if (File.empty() || File == "-")
    return llvm::Error::success();
  fs::file_status Status;
  const bool Exists = !fs::status(File, Status) && fs::exists(Status);
  std::error_code Why;
  if (Exists && fs::is_directory(Status))
    Why = std::make_error_code(std::errc::is_a_directory);
  else if (Exists && !fs::is_regular_file(Status))
    Why = fs::access(File, fs::AccessMode::Write);
  else {
    // Where FileStream makes its temporary file: beside what a link leads to.
    llvm::SmallString<256> Real(File);
    if (Exists)
      Why = fs::real_path(File, Real);
    llvm::StringRef Directory = llvm::sys::path::parent_path(Real);
    if (!Why)
      Why = probeDirectory(Directory.empty() ? "." : Directory.str());
  }
  return Why ? failed(File, Why) : llvm::Error::success();
}

bool isSameFile(const std::string &A, const std::string &B) {
  if (A.empty() || B.empty() || A == "-" || B == "-")
    return false;
  if (A == B)
    return true;
  fs::file_status OfA, OfB;
  const bool ThereA = !fs::status(A, OfA), ThereB = !fs::status(B, OfB);
  if (ThereA != ThereB)
    return false;
  if (ThereA)
    return fs::is_regular_file(OfA) && fs::equivalent(OfA, OfB);
  namespace path = llvm::sys::path;
  auto Directory = [](llvm::StringRef File) {
    const llvm::StringRef Parent = path::parent_path(File);
    return Parent.empty() ? std::string(".") : Parent.str();
  };
  return path::filename(A) == path::filename(B) &&
         fs::equivalent(Directory(A), Directory(B));
}

llvm::Error writeAllOrNone(const std::vector<TextFile> &Files) {
  std::vector<std::unique_ptr<FileStream>> New;
  std::vector<std::string> Old;
  for (const TextFile &File : Files) {
    auto Before = llvm::MemoryBuffer::getFile(File.Path);
    if (!Before)
      return failed(File.Path, Before.getError());
    Old.push_back((*Before)->getBuffer().str());
    auto Out = FileStream::create(File.Path);
    if (!Out)
      return Out.takeError();
    (*Out)->write(File.Text);
    New.push_back(std::move(*Out));
  }
  InterruptGuard Whole;
  for (size_t I = 0; I != New.size(); ++I)
    if (llvm::Error E = New[I]->keep()) {
      while (I--)
        E = llvm::joinErrors(std::move(E), writeFile(Files[I].Path, Old[I]));
      return E;
    }
  return llvm::Error::success();
}

} // namespace kst
