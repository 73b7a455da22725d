// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/compile/SourceTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

static std::string below(StringRef Root, StringRef File) {
  return File.drop_front(Root.size()).ltrim('/').str();
}

std::string SourceTree::relative(StringRef File) const {
  if (!Kernel)
    return isBelow(File, SourceRoot) ? below(SourceRoot, File) : File.str();
  // An O= directory inside the source tree is nearer to its own files.
  bool ObjectFirst = isBelow(ObjectRoot, SourceRoot);
  StringRef First = ObjectFirst ? ObjectRoot : SourceRoot;
  StringRef Second = ObjectFirst ? SourceRoot : ObjectRoot;
  for (StringRef Root : {First, Second})
    if (!Root.empty() && File != Root && isBelow(File, Root))
      return below(Root, File);
  return File.str();
}

bool SourceTree::isGenerated(StringRef File) const {
  return llvm::any_of(
      BuildDirs, [&](const std::string &Dir) { return isBelow(File, Dir); });
}

std::string absolutePath(StringRef Directory, StringRef File) {
  SmallString<256> Path;
  if (!sys::path::is_absolute(File))
    Path = Directory;
  sys::path::append(Path, File);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

std::string realPath(StringRef Directory, StringRef File) {
  SmallString<256> Path;
  if (!sys::path::is_absolute(File))
    Path = Directory;
  sys::path::append(Path, File);
  SmallString<256> Real;
  if (!sys::fs::real_path(Path, Real))
    return std::string(Real);
  return absolutePath(Directory, File);
}

std::string PhysicalNames::operator()(StringRef File) {
  if (sys::fs::is_symlink_file(File))
    return realPath("/", File);
  // Not parent_path() of a normal name: behind a link `..` leads elsewhere.
  StringRef Spelled = sys::path::parent_path(File);
  auto [Known, New] = Directories.try_emplace(Spelled);
  if (New)
    Known->second = realPath("/", Spelled);
  return absolutePath(Known->second, sys::path::filename(File));
}

bool isBelow(StringRef File, StringRef Dir) {
  Dir = Dir.rtrim('/');
  return File.starts_with(Dir) &&
         (File.size() == Dir.size() || File[Dir.size()] == '/');
}

static bool existsBelow(StringRef Dir, StringRef Name) {
  return sys::fs::exists(absolutePath(Dir, Name));
}

std::string findSourceRoot(StringRef Dir) {
  for (; !Dir.empty(); Dir = sys::path::parent_path(Dir))
    if (existsBelow(Dir, "Kbuild") && existsBelow(Dir, "Kconfig") &&
        existsBelow(Dir, "include/linux"))
      return Dir.str();
  return "";
}

bool isObjectRoot(StringRef Dir) {
  return existsBelow(Dir, ".config") ||
         existsBelow(Dir, "include/generated/autoconf.h");
}

std::string whyUnreadable(const std::string &Path) {
  sys::fs::file_status Status;
  if (std::error_code Why = sys::fs::status(Path, Status))
    return Why == std::errc::no_such_file_or_directory ? "no such file"
                                                       : Why.message();
  if (Status.type() == sys::fs::file_type::directory_file)
    return "is a directory, not a source file";
  if (Status.type() != sys::fs::file_type::regular_file)
    return "is not a regular file";
  if (std::error_code Why = sys::fs::access(Path, sys::fs::AccessMode::Exist))
    return Why.message();
  return "";
}

} // namespace kst
