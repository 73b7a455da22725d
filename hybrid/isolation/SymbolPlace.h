// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a symbol of a linked image comes from.

#pragma once

#include "hybrid/isolation/LinkFiles.h"

namespace kst {

struct SymbolPlace {
  enum class Kind : char { Unknown, Absolute, Assigned, InPiece, InPart };
  Kind Is = Kind::Unknown;
  LinkPiece In;             ///< InPiece; InPart: Link and Part
  uint64_t OffsetBytes = 0; ///< in the piece or part
  /// The object file's symbol, ObjectSymbol::None if the link made it.
  uint32_t Symbol = ObjectSymbol::None;
};

} // namespace kst
