// SPDX-License-Identifier: GPL-2.0-or-later

#include "tools/kstatic-affinity/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace kst {

namespace fs = llvm::sys::fs;

static llvm::Error failed(const std::string &File, std::error_code Why) {
  return llvm::createStringError(Why, "cannot write %s: %s", File.c_str(),
                                 Why.message().c_str());
}

llvm::Error writeFile(const std::string &File, llvm::StringRef Text) {
  if (File == "-") {
    llvm::outs() << Text;
    llvm::outs().flush();
    std::error_code Why = llvm::outs().error();
    llvm::outs().clear_error(); // else the stream ends the process later
    return Why ? failed("standard output", Why) : llvm::Error::success();
  }
  fs::file_status Status;
  bool Special = !fs::status(File, Status) && fs::exists(Status) &&
                 !fs::is_regular_file(Status);
  if (Special) {
    std::error_code Why;
    llvm::raw_fd_ostream Out(File, Why, fs::CD_OpenExisting);
    if (!Why) {
      Out << Text;
      Out.flush();
      Why = Out.error();
      Out.clear_error();
    }
    return Why ? failed(File, Why) : llvm::Error::success();
  }
  // A file that is there keeps its mode, and a link to it stays one.
  llvm::SmallString<256> Real(File);
  fs::perms Mode = fs::all_read | fs::owner_write;
  if (fs::exists(Status)) {
    Mode = Status.permissions();
    if (std::error_code Why = fs::real_path(File, Real))
      return failed(File, Why);
  }
  llvm::Expected<fs::TempFile> Temp =
      fs::TempFile::create(Real + ".tmp-%%%%%%", Mode);
  if (!Temp)
    return failed(File, llvm::errorToErrorCode(Temp.takeError()));
  std::error_code Why;
  {
    llvm::raw_fd_ostream Out(Temp->FD, /*shouldClose=*/false);
    Out << Text;
    Out.flush();
    Why = Out.error();
    Out.clear_error();
  }
  if (!Why && fs::exists(Status))
    Why = fs::setPermissions(Temp->FD, Mode); // the umask is for new files
  if (Why) {
    llvm::consumeError(Temp->discard());
    return failed(File, Why);
  }
  if (llvm::Error E = Temp->keep(Real))
    return failed(File, llvm::errorToErrorCode(std::move(E)));
  return llvm::Error::success();
}

} // namespace kst
