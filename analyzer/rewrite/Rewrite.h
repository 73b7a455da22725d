// SPDX-License-Identifier: GPL-2.0-or-later
//
// The definition in another order, as text: only what moves is cut and put
// elsewhere, with its comments, attributes and conditions; every other byte of
// the file stays.

#pragma once

#include "analyzer/rewrite/Definition.h"

namespace kst {

struct Rewritten {
  std::string Text; ///< of the whole file
  /// Fields that were picked up, in the new order.
  std::vector<uint32_t> Moved;
  /// For the person who reads the patch: comments about places in memory that
  /// may have become false, comments that may speak of more than the member
  /// they went with. Lines are those of the old text.
  std::vector<TextNote> Notes;
};

/// `NewOrder` is a permutation of the fields of the record that `Of` was made
/// from. `Moved`: see arrange(). In every configuration the fields get the
/// wanted order, each under the conditions it had: what leaves its #if gets
/// its own, a block that something enters is closed and opened again, an empty
/// one vanishes. The same order gives the same bytes. Fails, naming line or
/// field, when a rule of the text forbids the order.
llvm::Expected<Rewritten> rewrite(const Definition &Source,
                                  llvm::ArrayRef<uint32_t> NewOrder,
                                  const std::vector<bool> *Moved = nullptr);

} // namespace kst
