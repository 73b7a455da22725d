// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two directories, each a source tree or the same part of one.

#include "analyzer/change/SourceChange.h"
#include "analyzer/files/InputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace llvm;

namespace kst {
namespace {

struct Seen {
  sys::fs::UniqueID Id;
  uint64_t Bytes = 0;
};

/// What no compiler reads.
bool isForeign(StringRef Name) {
  for (StringRef End : {".o", ".ko", ".a", ".cmd", ".d", ".dtb", ".rst", ".txt",
                        ".yaml", ".json", ".py", ".pdf", ".svg"})
    if (Name.ends_with(End))
      return true;
  return false;
}

/// Regular files by their names below the root; hidden directories are left
/// out, links are not followed.
void collect(const std::string &Root, const std::string &Below,
             std::map<std::string, Seen> &Into) {
  std::error_code Why;
  for (sys::fs::directory_iterator It(Root + "/" + Below, Why,
                                      /*follow_symlinks=*/false),
       End;
       !Why && It != End; It.increment(Why)) {
    const std::string Name = sys::path::filename(It->path()).str();
    const std::string Path = Below.empty() ? Name : Below + "/" + Name;
    if (It->type() == sys::fs::file_type::directory_file) {
      if (Name[0] != '.')
        collect(Root, Path, Into);
      continue;
    }
    sys::fs::file_status Status;
    if (It->type() != sys::fs::file_type::regular_file || isForeign(Name) ||
        sys::fs::status(It->path(), Status))
      continue;
    Into[Path] = {Status.getUniqueID(), Status.getSize()};
  }
}

bool isSame(const std::string &A, const Seen &InA, const std::string &B,
            const Seen &InB) {
  if (InA.Id == InB.Id)
    return true;
  if (InA.Bytes != InB.Bytes)
    return false;
  auto One = MemoryBuffer::getFile(A, false, false),
       Other = MemoryBuffer::getFile(B, false, false);
  return One && Other && (*One)->getBuffer() == (*Other)->getBuffer();
}

std::string realName(const std::string &Path) {
  SmallString<256> Real;
  return sys::fs::real_path(Path, Real) ? Path : std::string(Real);
}

} // namespace

Expected<SourceChange> changeOfTrees(const std::string &Old,
                                     const std::string &New,
                                     const std::string &Root) {
  const std::string From = realName(Old), To = realName(New);
  std::map<std::string, Seen> Before, After;
  collect(From, "", Before);
  collect(To, "", After);
  if (Before.empty() && After.empty())
    return createStringError(std::errc::invalid_argument,
                             "%s and %s have no files", Old.c_str(),
                             New.c_str());
  SourceChange Change{Old, New, {}};
  // Where one of them is the tree of the build, the other tells all. Otherwise
  // what both have alike may still be another text than that tree has.
  const bool OnDisk = realName(Root) == From || realName(Root) == To;
  std::map<std::string, bool> Names;
  for (const auto &[Name, File] : Before)
    Names[Name];
  for (const auto &[Name, File] : After)
    Names[Name];
  for (const auto &[Name, Unused] : Names) {
    const std::string A = From + "/" + Name, B = To + "/" + Name;
    auto InA = Before.find(Name), InB = After.find(Name);
    const bool Both = InA != Before.end() && InB != After.end();
    if (Both && isSame(A, InA->second, B, InB->second)) {
      sys::fs::file_status Status;
      const std::string There = Root + "/" + Name;
      if (OnDisk)
        continue;
      const bool Here = !sys::fs::status(There, Status);
      if (Here && isSame(A, InA->second, There,
                         {Status.getUniqueID(), Status.getSize()}))
        continue;
    }
    Change.Files.push_back(
        {Name, InA == Before.end() ? std::nullopt : textIfThere(A),
         InB == After.end() ? std::nullopt : textIfThere(B)});
  }
  return Change;
}

} // namespace kst
