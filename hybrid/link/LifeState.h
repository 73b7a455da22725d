// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which part of its life an object is in, as far as one function can say.

#ifndef KST_HYBRID_LINK_LIFESTATE_H
#define KST_HYBRID_LINK_LIFESTATE_H

#include <compare>
#include <cstdint>

namespace kst {

/// Of an object at a place of a function. Open: the callers know; of an object
/// that only this function can name, those that pass Param.
struct LifeState {
  enum Kind : uint8_t { Steady, SetUp, FirstUse, TearDown, Open };
  static constexpr uint8_t NoParam = 0xff;
  Kind What = Steady;
  uint8_t Param = NoParam;
  auto operator<=>(const LifeState &) const = default;
};

} // namespace kst

#endif
