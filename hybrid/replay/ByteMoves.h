// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the bytes of a struct lie in several orders.

#ifndef KST_HYBRID_REPLAY_BYTEMOVES_H
#define KST_HYBRID_REPLAY_BYTEMOVES_H

#include "hybrid/core/Layout.h"

#include <algorithm>
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

  /// Leads an access to bytes [Begin, End) of an object step by step: each is
  /// in one piece, and on one line in every order. Calls Take(piece, bytes,
  /// addresses), by order; good until it returns. Bytes in holes and behind the
  /// record are left out. False: there was no step.
  template <typename F>
  bool forEachStep(uint64_t Object, uint64_t Begin, uint64_t End,
                   uint32_t LineBytes, F &&Take) {
    bool Any = false;
    End = std::min<uint64_t>(End, At.size());
    for (uint64_t Byte = Begin; Byte < End;) {
      const BytePiece *Piece = find(Byte);
      if (!Piece) {
        ++Byte;
        continue;
      }
      const uint64_t Stop = std::min<uint64_t>(End, Piece->End);
      while (Byte < Stop) {
        uint64_t Bytes = Stop - Byte;
        Addresses.clear();
        for (uint32_t Offset : Piece->Offsets) {
          Addresses.push_back(Object + Offset + (Byte - Piece->Begin));
          Bytes = std::min(Bytes, LineBytes - Addresses.back() % LineBytes);
        }
        Take(*Piece, static_cast<uint32_t>(Bytes),
             std::span<const uint64_t>(Addresses));
        Byte += Bytes;
      }
      Any = true;
    }
    return Any;
  }

private:
  std::vector<BytePiece> Pieces;   ///< by place now
  std::vector<uint32_t> At;        ///< by byte: the piece's number from 1
  std::vector<uint64_t> Addresses; ///< of a step
};

} // namespace kst

#endif
