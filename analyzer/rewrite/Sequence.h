// SPDX-License-Identifier: GPL-2.0-or-later
//
// The items of a definition in a new order: what stays, what is carried, and
// between which neighbours it lands. No text is made here.

#pragma once

#include "analyzer/rewrite/Definition.h"

namespace kst {

/// One item, or one part of an item that is taken apart.
struct Placed {
  uint32_t Item = 0;
  bool Moved = false;
  /// Whether it came to where it is because its owner moved.
  bool Carried = false;
  std::vector<BranchRef> Path; ///< conditions it must lie under
  /// Of an item taken apart: index into its Parts; else Whole.
  static constexpr uint32_t Whole = ~0u;
  uint32_t Part = Whole;
};

/// The items in the order of the new text. Items that make no field (comments,
/// branches that no configuration compiles, #defines) stay with what is before
/// them, unless they belong to one that moves or lie between two that move and
/// stay neighbours. `NewOrder` is a permutation of the fields. Fails, naming
/// the field, when it takes apart what the text holds together. `Moved` names
/// the fields to pick up; the others must be in ascending order. Without it as
/// few as possible are, and of those the ones with the fewest lines.
llvm::Expected<std::vector<Placed>>
arrange(const Definition &Source, llvm::ArrayRef<uint32_t> NewOrder,
        const std::vector<bool> *Moved = nullptr);

} // namespace kst
