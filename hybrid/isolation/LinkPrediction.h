// SPDX-License-Identifier: GPL-2.0-or-later
//
// How a link differs from the one that was, and where its symbols come to lie.

#pragma once

#include "hybrid/isolation/LinkFiles.h"
#include "hybrid/isolation/LinkReplay.h"

#include <vector>

namespace kst {

struct Growth {
  LinkPiece At;
  uint64_t OffsetBytes = 0; ///< what is there and behind it moves
  int64_t Bytes = 0;
};

/// How a link differs from the one that was.
struct LinkChange {
  std::map<std::string, const ObjectFile *> Objects; ///< new ones; not owned
  std::vector<Growth> Growths;
  std::map<LinkPiece, uint64_t> Aligns; ///< bytes, raised to that
  std::map<LinkPiece, uint64_t> Given;  ///< sizes of what the link generates
};

struct PredictedSymbol {
  std::string Name, File;   ///< as a changed object calls it now
  uint64_t Was = 0, Is = 0; ///< addresses
  bool Local = false, Gone = false;
  uint32_t Image = ObjectSymbol::None; ///< its number there
};

struct PredictedLink {
  LinkPlacement Final, Inner;
  std::vector<PredictedSymbol> Symbols;
};

} // namespace kst
