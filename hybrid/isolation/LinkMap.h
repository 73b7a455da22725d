// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a linker did, statement by statement, as its map tells: which sections
// of which files it placed in which order, and what the linker script did
// between them.

#pragma once

#include "hybrid/core/Result.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

struct MapStatement {
  enum class Kind : char {
    Input,  ///< a section of a file
    Assign, ///< to a symbol or to the location counter
    Bytes,  ///< that the script itself writes
  };
  Kind Is = Kind::Input;
  std::string Name;     ///< Input: the section; Assign: the symbol or "."
  std::string Text;     ///< Input: the file; Assign: the expression
  uint64_t Address = 0; ///< Assign: the value
  uint64_t SizeBytes = 0;
  /// Of a section whose entries were merged, as it was before; else 0.
  uint64_t WholeBytes = 0;
  uint64_t AlignBytes = 0; ///< 0: the map does not say
  /// Input: which pattern of the script in GNU ld's map took it, by number.
  uint32_t Pattern = 0;
};

/// One output section, or, without a name, what is between two of them.
struct MapPart {
  std::string Name;
  uint64_t Address = 0, SizeBytes = 0;
  uint64_t AlignBytes = 0; ///< 0: the map does not say
  std::vector<MapStatement> Body;
};

struct LinkMap {
  bool Lld = false;
  std::vector<MapPart> Parts; ///< without debug information
};

/// A map of GNU ld (-Map) or of lld (-Map, --print-map). A failure if it is
/// neither, or has no section.
Result<LinkMap> readLinkMap(std::string_view Text);

/// The files whose sections it has.
std::set<std::string> filesOf(const LinkMap &Map);

/// Whether a section only has what debuggers and build tools read.
bool isDebugSection(std::string_view Name);

} // namespace kst
