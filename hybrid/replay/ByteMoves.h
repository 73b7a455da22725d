// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the bytes of a struct lie in several orders.

#ifndef KST_HYBRID_REPLAY_BYTEMOVES_H
#define KST_HYBRID_REPLAY_BYTEMOVES_H

#include "hybrid/core/Layout.h"

#include <span>
#include <vector>

namespace kst {

/// Bytes that stay together in every order, in which they may lie elsewhere.
struct BytePiece {
  uint32_t Begin = 0, End = 0;   ///< now
  uint32_t Field = 0;            ///< the first that has a bit in it
  std::vector<uint32_t> Offsets; ///< of Begin, by order
};

/// The pieces of a record whose fields are at their offsets now.
class ByteMoves {
public:
  /// Plans place every field of the record.
  ByteMoves(const RecordInfo &Now, const std::vector<const Layout *> &Plans);

  /// The piece that a byte is in; null: in a hole.
  const BytePiece *find(uint64_t Offset) const {
    return Offset < At.size() && At[Offset] ? &Pieces[At[Offset] - 1] : nullptr;
  }
  const std::vector<BytePiece> &pieces() const { return Pieces; }

private:
  std::vector<BytePiece> Pieces; ///< by place now
  std::vector<uint32_t> At;      ///< by byte: the piece's number from 1
};

} // namespace kst

#endif
