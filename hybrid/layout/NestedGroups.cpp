// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the groups of Constraints lie within each other, and which orders keep
// them whole.

#include "hybrid/layout/Constraints.h"

#include <algorithm>

namespace kst {

/// Finds the group of each move unit, and the members of each group.
void Constraints::nest(const RecordInfo &Record) {
  std::vector<uint32_t> Fields(
      Record.Groups.size()); // not yet in one move unit
  for (const FieldInfo &Field : Record.Fields)
    for (uint32_t G = Field.Group; G != NoGroup; G = Record.Groups[G].Parent)
      ++Fields[G];
  for (MoveUnit &U : MoveUnits) {
    U.Group = Record.Fields[U.Fields.front()].Group;
    for (uint32_t F : U.Fields)
      U.Group = commonGroup(Record, U.Group, Record.Fields[F].Group);
    // One that is all of a group stands for it.
    while (U.Group != NoGroup && Fields[U.Group] == U.Fields.size() &&
           U.Fields.size() > 1)
      U.Group = Record.Groups[U.Group].Parent;
  }
  for (const GroupInfo &Group : Record.Groups)
    Groups.push_back({Group.Parent});
  Members.resize(Groups.size() + 1);
  for (uint32_t U = 0; U < MoveUnits.size(); ++U) {
    uint32_t Below = NoGroup; // the child of G on the way to the move unit
    for (uint32_t G = MoveUnits[U].Group;; G = Groups[G].Parent) {
      std::vector<Sibling> &Siblings = membersOf(G);
      if (Siblings.empty() || Below == NoGroup ||
          Siblings.back().Group != Below)
        Siblings.push_back({U, U, Below});
      Siblings.back().End = U + 1;
      if (G == NoGroup)
        break;
      if (Groups[G].Begin == Groups[G].End)
        Groups[G].Begin = U;
      Groups[G].End = U + 1;
      Below = G;
    }
  }
}

/// The same for the members of one group (the last level: of the record) from
/// position At on, which ends behind them.
bool Constraints::nestedLegal(std::span<const uint32_t> MoveUnitOrder,
                              size_t Level, size_t &At) const {
  const std::vector<Sibling> &Siblings = Members[Level];
  std::vector<bool> Seen(Siblings.size());
  size_t LastAnchor = 0;
  for (const Sibling &Declared : Siblings) {
    if (At == MoveUnitOrder.size())
      return false;
    auto Is = [&](const Sibling &S) {
      return S.Begin <= MoveUnitOrder[At] && MoveUnitOrder[At] < S.End;
    };
    const size_t I = static_cast<size_t>(std::ranges::find_if(Siblings, Is) -
                                         Siblings.begin());
    if (I == Siblings.size() || Seen[I] ||
        Siblings[I].Stretch != Declared.Stretch ||
        (Siblings[I].Anchor && I < LastAnchor))
      return false;
    Seen[I] = true;
    if (Siblings[I].Anchor)
      LastAnchor = I;
    if (Siblings[I].Group == NoGroup)
      ++At;
    else if (!nestedLegal(MoveUnitOrder, Siblings[I].Group, At))
      return false;
  }
  return true;
}

void Constraints::mend(size_t Level, const std::vector<size_t> &Position,
                       std::vector<uint32_t> &Order) const {
  std::vector<Sibling> Siblings = Members[Level];
  auto Place = [&](const Sibling &S) {
    return *std::min_element(Position.begin() + S.Begin,
                             Position.begin() + S.End);
  };
  std::vector<Sibling> Anchors;
  for (const Sibling &S : Siblings)
    if (S.Anchor)
      Anchors.push_back(S);
  std::ranges::stable_sort(Siblings, [&](const Sibling &A, const Sibling &B) {
    return A.Stretch != B.Stretch ? A.Stretch < B.Stretch : Place(A) < Place(B);
  });
  size_t Next = 0; // anchors keep their order
  for (Sibling &S : Siblings) {
    if (S.Anchor)
      S = Anchors[Next++];
    if (S.Group == NoGroup)
      Order.push_back(S.Begin);
    else
      mend(S.Group, Position, Order);
  }
}

std::vector<uint32_t>
Constraints::mended(std::span<const uint32_t> Guide) const {
  std::vector<size_t> Position(MoveUnits.size());
  for (size_t At = 0; At < Guide.size(); ++At)
    Position[Guide[At]] = At;
  std::vector<uint32_t> Order;
  mend(Groups.size(), Position, Order);
  return Order;
}

} // namespace kst
