// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/FileOverlay.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kst {

void FileOverlay::add(StringRef Path, std::optional<std::string> Text) {
  Names.insert(sys::path::filename(Path));
  if (Text)
    for (StringRef Above = sys::path::parent_path(Path); Above.size() > 1;
         Above = sys::path::parent_path(Above))
      Directories.insert(Above);
  File &Entry = Files[Path];
  Entry.Hash = Text ? hash128(*Text) : Hash128();
  Entry.Text = std::move(Text);
}

const FileOverlay::File *FileOverlay::find(StringRef Path) const {
  if (Files.empty())
    return nullptr;
  auto Look = [&](StringRef Name) -> const File * {
    auto It = Files.find(Name);
    return It == Files.end() ? nullptr : &It->second;
  };
  if (const File *Found = Look(Path))
    return Found;
  SmallString<256> Real;
  if (sys::fs::is_symlink_file(Path) && !sys::fs::real_path(Path, Real))
    return Look(Real);
  if (!Names.contains(sys::path::filename(Path)))
    return nullptr;
  if (!sys::fs::real_path(sys::path::parent_path(Path), Real)) {
    sys::path::append(Real, sys::path::filename(Path));
    return Look(Real);
  }
  // A directory that is in the overlay only.
  Real = Path;
  sys::path::remove_dots(Real, /*remove_dot_dot=*/true);
  return Look(Real);
}

} // namespace kst
