// SPDX-License-Identifier: GPL-2.0-or-later
//
// See SearchSpace.h.

#include "hybrid/layout/SearchSpace.h"

#include <algorithm>
#include <numeric>

namespace kst {

SearchSpace::SearchSpace(const RecordInfo &Record, const Constraints &Rules,
                         const LayoutCost &Model)
    : Rules(Rules), Model(Model), Offsets(Record) {
  for (const Unit &U : Rules.units()) {
    UnitShape Shape;
    uint64_t Bits = 0;
    for (uint32_t F : U.Fields) {
      const FieldInfo &Field = Record.Fields[F];
      Bits += Field.SizeBits;
      Shape.AlignBytes = std::max<uint64_t>(Shape.AlignBytes, Field.AlignBytes);
      Shape.Heat += Model.heat(F);
      Shape.Active |= Model.active(F);
    }
    Shape.SizeBytes = (Bits + 7) / 8;
    Shapes.push_back(Shape);
  }
  for (uint32_t U = 0; U < Shapes.size(); ++U)
    if (Shapes[U].Active && Rules.units()[U].Movable)
      Active.push_back(U);
  std::stable_sort(Active.begin(), Active.end(), [&](uint32_t A, uint32_t B) {
    return Shapes[A].Heat > Shapes[B].Heat;
  });
}

UnitOrder SearchSpace::declared() const {
  UnitOrder Order(unitCount());
  std::iota(Order.begin(), Order.end(), 0u);
  return Order;
}

} // namespace kst
