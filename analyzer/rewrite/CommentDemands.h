// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a comment demands of the order of members, by its words: a place, an
// order, a neighbour, a layout that others share. No parser of English:
// sentences are cut into words, and phrases looked for. How often that is right
// is in docs/results.md.

#pragma once

#include "analyzer/rewrite/CommentPhrases.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// One sentence that demands something.
struct CommentDemand {
  static constexpr uint32_t Several = ~0u;

  DemandWord What = DemandWord::Stay;
  bool Firm = false;  ///< it says that it must be so
  bool Whole = false; ///< it speaks of the whole struct
  bool Above = false; ///< it speaks of what stands above it
  uint32_t Count = 0; ///< members it speaks of: "these two"; 0: not said
  std::string Words;  ///< the sentence as written, on one line, not too long
  std::vector<std::string> Fields; ///< that it names, in their order
};

/// The demands of one comment, in the order of its sentences. `Fields`: names
/// of the struct's members; words that name one are no other words.
std::vector<CommentDemand> demandsOf(llvm::StringRef Comment,
                                     llvm::ArrayRef<std::string> Fields,
                                     llvm::StringRef Struct);

} // namespace kst
