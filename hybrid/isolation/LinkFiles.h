// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a linked image was linked of. A kernel may be linked in two steps:
// objects to vmlinux.o (ld -r), and that to vmlinux. Then each step has a map.

#pragma once

#include "hybrid/core/ObjectFile.h"
#include "hybrid/isolation/LinkMap.h"

#include <compare>
#include <map>
#include <optional>
#include <string>

namespace kst {

/// What was linked, and how.
struct LinkFiles {
  ObjectFile Image;
  LinkMap Final;
  /// Of the step before, and the file that it made; for a module only this,
  /// and Final is empty.
  std::optional<LinkMap> Inner;
  std::string InnerFile;
  std::map<std::string, ObjectFile> Objects; ///< by their names in the maps
};

/// One section of an object file in its chain.
struct LinkPiece {
  uint32_t Link = 0; ///< 0 the final one, 1 the one before
  uint32_t Part = 0, Statement = 0;
  friend auto operator<=>(const LinkPiece &, const LinkPiece &) = default;
};

/// The nth section of that name, ObjectSymbol::None if there is none.
uint32_t nthSection(const ObjectFile &File, const std::string &Name,
                    uint32_t Ordinal);
/// What of the image the map of its link does not have so; "": nothing.
std::string unlikeImage(const LinkFiles &Of);

} // namespace kst
