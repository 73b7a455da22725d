// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/change/Git.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

extern char **environ;

using namespace llvm;

namespace kst {

Expected<ScratchDirectory> ScratchDirectory::create() {
  SmallString<128> Path;
  if (std::error_code Why = sys::fs::createUniqueDirectory("kst-change", Path))
    return createStringError(Why, "no directory for temporary files: %s",
                             Why.message().c_str());
  return ScratchDirectory(std::string(Path));
}

ScratchDirectory::~ScratchDirectory() {
  if (!Path.empty())
    sys::fs::remove_directories(Path);
}

static std::string contentsOf(const std::string &Path) {
  auto Read = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  return Read ? (*Read)->getBuffer().str() : std::string();
}

Expected<std::string> git(const std::string &Directory,
                          ArrayRef<std::string> Arguments, StringRef Input,
                          const std::string &Ceiling) {
  ErrorOr<std::string> Program = sys::findProgramByName("git");
  if (!Program)
    return createStringError(std::errc::no_such_file_or_directory,
                             "git is needed to read revisions and patches, and "
                             "is not installed");
  auto Scratch = ScratchDirectory::create();
  if (!Scratch)
    return Scratch.takeError();
  const std::string In = Scratch->path() + "/in",
                    Out = Scratch->path() + "/out",
                    Said = Scratch->path() + "/said";
  {
    std::error_code Why;
    raw_fd_ostream To(In, Why);
    if (Why)
      return errorCodeToError(Why);
    To << Input;
  }
  std::vector<StringRef> Words = {"git", "--no-pager", "-C", Directory};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  std::vector<std::string> Variables;
  for (char **Entry = environ; *Entry; ++Entry) {
    StringRef Variable(*Entry);
    // What a hook of git is called with is about that repository, not ours.
    if (!Variable.starts_with("GIT_") || Variable.starts_with("GIT_CONFIG"))
      Variables.push_back(Variable.str());
  }
  Variables.push_back("GIT_OPTIONAL_LOCKS=0");
  Variables.push_back("GIT_TERMINAL_PROMPT=0");
  Variables.push_back("LC_ALL=C");
  if (!Ceiling.empty())
    Variables.push_back("GIT_CEILING_DIRECTORIES=" + Ceiling);
  std::vector<StringRef> Environment(Variables.begin(), Variables.end());
  std::string Why;
  int Status = sys::ExecuteAndWait(
      *Program, Words, ArrayRef(Environment),
      {StringRef(In), StringRef(Out), StringRef(Said)}, 0, 0, &Why);
  if (Status != 0) {
    std::string Text = StringRef(contentsOf(Said)).trim().str();
    return createStringError(std::errc::invalid_argument, "%s",
                             !Text.empty()  ? Text.c_str()
                             : !Why.empty() ? Why.c_str()
                                            : "git failed");
  }
  return contentsOf(Out);
}

} // namespace kst
