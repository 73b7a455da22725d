// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/replay/ByteMoves.h"

#include <algorithm>
#include <numeric>

namespace kst {

ByteMoves::ByteMoves(const RecordInfo &Now,
                     const std::vector<const Layout *> &Plans)
    : At(Now.SizeBytes) {
  std::vector<uint32_t> ByPlace(Now.Fields.size());
  std::iota(ByPlace.begin(), ByPlace.end(), 0);
  std::stable_sort(ByPlace.begin(), ByPlace.end(), [&](uint32_t A, uint32_t B) {
    return Now.Fields[A].OffsetBits < Now.Fields[B].OffsetBits;
  });
  for (uint32_t F : ByPlace) {
    const FieldInfo &Field = Now.Fields[F];
    if (Field.Absent || !Field.SizeBits)
      continue;
    // Bit-fields that share a byte are one piece: they move together, or the
    // compiler moves what it likes.
    const uint32_t Begin = Field.OffsetBits / 8,
                   End = std::min((Field.OffsetBits + Field.SizeBits + 7) / 8,
                                  Now.SizeBytes);
    if (Begin < End && At[Begin]) {
      BytePiece &Shared = Pieces.back();
      for (uint32_t Byte = Shared.End; Byte < End; ++Byte)
        At[Byte] = Pieces.size();
      Shared.End = std::max(Shared.End, End);
      continue;
    }
    BytePiece Piece{Begin, End, F, {}};
    for (const Layout *Plan : Plans)
      Piece.Offsets.push_back(Plan->OffsetBits[F] / 8);
    Pieces.push_back(std::move(Piece));
    for (uint32_t Byte = Begin; Byte < End; ++Byte)
      At[Byte] = Pieces.size();
  }
}

} // namespace kst
