// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/layout/bound/FrozenLines.h"

#include "hybrid/layout/FieldOffsets.h"

#include <algorithm>
#include <map>

namespace kst {

/// MoveUnits before the first that may move, or that one that moves may pass.
static size_t frozenUnits(const Constraints &Rules) {
  const auto &MoveUnits = Rules.bricks();
  uint32_t First = 0;
  while (First < MoveUnits.size() && !Rules.mayMove(First))
    ++First;
  return First == MoveUnits.size() ? First : Rules.zoneBegin(First);
}

FrozenLines frozenLines(const RecordInfo &Record, const LayoutCost &Model,
                        const Constraints &Rules) {
  FrozenLines Result;
  const size_t MoveUnits = frozenUnits(Rules);
  if (MoveUnits == Rules.bricks().size()) {
    Result.All = true;
    Result.Cost = Model.price(statedLayout(Record)).total();
    return Result;
  }
  if (Model.starts().size() != 1)
    return Result;
  const uint64_t LineBits = 8ull * Model.options().LineBytes;
  uint64_t End = 0;
  for (size_t U = 0; U < MoveUnits; ++U)
    for (uint32_t F : Rules.bricks()[U].Fields)
      End = std::max(End,
                     Record.Fields[F].OffsetBits + Record.Fields[F].SizeBits);
  Result.Bits = End / LineBits * LineBits;

  struct Reach {
    uint64_t First = ~0ull, Last = 0; ///< lines below Bits; ~0, 0: none
  };
  std::vector<Reach> Lines(Record.Fields.size());
  for (uint32_t F = 0; F < Lines.size(); ++F) {
    uint64_t At = Record.Fields[F].OffsetBits, Extent = Model.extentBits(F);
    if (Extent && At < Result.Bits)
      Lines[F] = {At / LineBits,
                  (std::min(At + Extent, Result.Bits) - 1) / LineBits};
  }
  std::map<uint64_t, LineUse> Uses; // by line
  for (size_t S = 0; S < Model.setCount(); ++S) {
    std::map<uint64_t, std::pair<double, double>>
        Spared; // not touched, written
    for (auto [Field, P, W] : Model.fieldTouches(S))
      for (uint64_t L = Lines[Field].First; L <= Lines[Field].Last; ++L) {
        auto &[Untouched, Unwritten] =
            Spared.try_emplace(L, 1, 1).first->second;
        Untouched *= 1 - P;
        Unwritten *= 1 - W;
      }
    for (auto &[Line, Of] : Spared) {
      Result.Cost += Model.weight(S) * (1 - Of.first);
      Uses[Line].add(Model.meeting(S), 1 - Of.first, 1 - Of.second);
    }
  }
  for (auto &[Line, Use] : Uses)
    Result.Cost += Model.sharing(Use);
  return Result;
}

} // namespace kst
