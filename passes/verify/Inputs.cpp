// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/Inputs.h"

#include "passes/verify/Rules.h"

#include "llvm/Object/Archive.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>
#include <set>

namespace kst {

using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// File names of the members of Directory/built-in.a; none if there is no such
/// archive or it cannot be read.
std::set<std::string> builtIn(StringRef Directory) {
  std::set<std::string> Names;
  llvm::SmallString<256> File(Directory);
  path::append(File, "built-in.a");
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return Names;
  auto Archive = llvm::object::Archive::create((*Buffer)->getMemBufferRef());
  if (!Archive) {
    llvm::consumeError(Archive.takeError());
    return Names;
  }
  llvm::Error Failed = llvm::Error::success();
  for (const auto &Member : (*Archive)->children(Failed)) {
    if (auto Name = Member.getName())
      Names.insert(path::filename(*Name).str());
    else
      llvm::consumeError(Name.takeError());
  }
  llvm::consumeError(std::move(Failed));
  return Names;
}

/// Only what holds machine code; a build leaves much else beside it.
bool isObject(StringRef File) {
  return File.ends_with(".o") || File.ends_with(".a") ||
         File.ends_with(".ko") || File.ends_with(".ro") ||
         File.ends_with(".so") || File.ends_with(".so.dbg") ||
         File.ends_with(".elf") || File == "purgatory.chk" || File == "vmlinux";
}

class Tree {
public:
  /// Not for the kernel: programs that the build itself runs.
  static bool skipped(StringRef Relative) {
    for (StringRef Top : {"scripts", "tools", "usr"})
      if (Relative == Top)
        return true;
    return path::filename(Relative) == "tools"; // arch/x86/boot/tools and such
  }

  llvm::Error walk(StringRef Top) {
    std::error_code Why;
    for (fs::recursive_directory_iterator I(Top, Why, /*follow=*/false), E;
         I != E && !Why; I.increment(Why)) {
      StringRef Path = I->path();
      StringRef Relative = Path.drop_front(Top.size()).ltrim('/');
      if (I->type() == fs::file_type::directory_file) {
        if (skipped(Relative))
          I.no_push();
      } else if (I->type() == fs::file_type::regular_file) {
        add(Path, Relative);
      }
    }
    if (Why)
      return llvm::createStringError(Why, Top + ": " + Why.message());
    return llvm::Error::success();
  }

  std::vector<Input> Found;

private:
  void add(StringRef Path, StringRef Relative) {
    StringRef File = path::filename(Relative);
    if (!isObject(File) || File.starts_with("."))
      return;
    if (Relative == "vmlinux.o" || File.ends_with(".ko")) {
      Found.push_back({Path.str(), ""});
      return;
    }
    // The path below the build directory: where that lies means nothing.
    auto Why = forbiddenFile(Relative);
    if (!Why || File == "built-in.a")
      return;
    StringRef Directory = path::parent_path(Path);
    auto [Known, New] = Directories.try_emplace(Directory.str());
    if (New)
      Known->second = builtIn(Directory);
    if (!sharedDirectory(*Why) || !Known->second.count(File.str()))
      Found.push_back({Path.str(), Why->str()});
  }

  std::map<std::string, std::set<std::string>> Directories;
};

} // namespace

Input namedInput(StringRef Path) {
  llvm::SmallString<256> Absolute(Path);
  fs::make_absolute(Absolute);
  path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  auto Why = forbiddenFile(Absolute);
  if (!Why)
    return {Path.str(), ""};
  if (sharedDirectory(*Why) && builtIn(path::parent_path(Absolute))
                                   .count(path::filename(Absolute).str()))
    return {Path.str(), ""};
  return {Path.str(), Why->str()};
}

llvm::Expected<std::vector<Input>> inputsOfTree(StringRef BuildDirectory) {
  llvm::SmallString<256> Top(BuildDirectory);
  path::remove_dots(Top);
  Tree All;
  if (llvm::Error E = All.walk(Top))
    return E;
  bool Kernel = std::ranges::any_of(
      All.Found, [](const Input &I) { return I.Rule.empty(); });
  if (!Kernel)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        BuildDirectory + ": neither vmlinux.o nor a module there; give the "
                         "directory of a finished kernel build");
  std::ranges::sort(All.Found, [](const Input &A, const Input &B) {
    return A.Path < B.Path;
  });
  return All.Found;
}

} // namespace kst
