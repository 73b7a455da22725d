// SPDX-License-Identifier: GPL-2.0-or-later
//
// A predicted link against the one that the linker made.

#pragma once

#include "hybrid/isolation/LinkedImage.h"

namespace kst {

struct SymbolMismatch {
  std::string Name, File;
  uint64_t Was = 0, Predicted = 0, Found = 0;
};

struct LinkCheck {
  size_t Symbols = 0;  ///< of the new image
  size_t Equal = 0;    ///< predicted where they are
  size_t Moved = 0;    ///< of Equal: elsewhere than before
  size_t Unplaced = 0; ///< nothing is known of where they come from
  size_t OnlyNew = 0, OnlyPredicted = 0;
  std::vector<SymbolMismatch> Wrong, Missing, Unforeseen;
};

/// Sizes that no object file has, out of the map of the new link: tables that
/// tools write between the links, merged strings, files that are not in the
/// chain. Sections of objects are never among them.
struct GeneratedSize {
  LinkPiece At;
  uint64_t Was = 0, Is = 0;
  bool Merged = false;
};
std::vector<GeneratedSize> generatedSizes(const LinkedImage &Image,
                                          const LinkChange &Change,
                                          const LinkMap &New);

/// Symbols of the sections that are loaded, by name and, if local, file;
/// without labels of the assembler (.L...), as System.map has it.
LinkCheck checkLink(const LinkedImage &Image, const LinkChange &Change,
                    const PredictedLink &Predicted, const ObjectFile &New);

} // namespace kst
