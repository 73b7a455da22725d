// SPDX-License-Identifier: GPL-2.0-or-later
//
// The phrases by which a demand on the order is known: one table of regular
// expressions over the words of a sentence.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace kst {

enum class DemandWord {
  First,    ///< "must be first", "at offset 0"
  Last,     ///< "keep this last", "do not put anything below here"
  Stay,     ///< "do not move", "don't change the offset"
  Order,    ///< "the order of these fields matters", "do not reorder"
  Together, ///< "keep these together", "in the same cache line"
  Follows,  ///< "must immediately follow x"
  Layout    ///< "same layout as", "must match struct x", "hardware layout"
};

struct Phrase {
  DemandWord What;
  bool Firm; ///< it says that it must be so
};

/// The first phrase of the table that is in `Words`: those of one sentence in
/// lower case, a single blank between, before and behind; "," for a pause, "@f"
/// for a field, "@t" for a type, "@s" for what may stand for the struct. Null
/// if none is.
const Phrase *phraseIn(llvm::StringRef Words);

} // namespace kst
