// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/colour/ColourTree.h"

#include <algorithm>

namespace kst {

ColourTree::ColourTree(uint32_t Number)
    : Number(Number), Used(Number), Free(Number), Least(2 * Number, None) {}

void ColourTree::change(uint32_t Colour, int32_t UsedMore, int32_t FreeMore) {
  Used[Colour] += UsedMore;
  Free[Colour] += FreeMore;
  uint32_t Node = Number + Colour;
  uint32_t Now = Free[Colour] ? Used[Colour] : None;
  while (Least[Node] != Now) {
    Least[Node] = Now;
    if (!(Node /= 2))
      break;
    Now = std::min(Least[2 * Node], Least[2 * Node + 1]);
  }
}

uint32_t ColourTree::firstFrom(uint32_t From) const {
  uint32_t Node = Number + From;
  // Up until a right neighbor has one, then down to its leftmost.
  while (Least[Node] == None) {
    while (Node & 1) {
      if (Node == 1)
        return None;
      Node /= 2;
    }
    ++Node;
  }
  while (Node < Number)
    Node = 2 * Node + (Least[2 * Node] == None);
  return Node - Number;
}

uint32_t ColourTree::next(uint32_t From) const {
  if (Least[1] == None)
    return None;
  const uint32_t Found = firstFrom(From);
  return Found == None ? firstFrom(0) : Found;
}

uint32_t ColourTree::emptiest() const {
  if (Least[1] == None)
    return None;
  uint32_t Node = 1;
  while (Node < Number)
    Node = 2 * Node + (Least[2 * Node] != Least[Node]);
  return Node - Number;
}

} // namespace kst
