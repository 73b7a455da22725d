// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which part of its life an object is in, as far as one function can say, and
// what a function does to the lives of objects that it is given.

#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace kst {

/// Of an object at a place of a function. Open: the callers know, by what they
/// pass for Params, bits: the object itself, and what it hangs on. No bit: of
/// an object that other functions can name.
struct LifeState {
  enum Kind : uint8_t { Steady, SetUp, FirstUse, TearDown, Open };
  Kind What = Steady;
  uint32_t Params = 0;
  auto operator<=>(const LifeState &) const = default;
};

/// The state of an object that who finds Other finds, too.
inline LifeState attachedTo(LifeState Object, LifeState Other) {
  const bool Found =
      Other.What == LifeState::Steady || Other.What == LifeState::FirstUse;
  if (Found && Object.What == LifeState::SetUp)
    return {LifeState::FirstUse};
  if (Found && Object.What == LifeState::Open)
    return {LifeState::Steady};
  if (Other.What == LifeState::Open &&
      (Object.What == LifeState::SetUp || Object.What == LifeState::Open))
    return {LifeState::Open, Object.Params | Other.Params};
  return Object;
}

/// What a caller must know of a function. Bits are numbers of parameters.
struct LifetimeSummary {
  static constexpr uint32_t MaxParams = 32; ///< those behind are not looked at
  static constexpr uint8_t Returned = MaxParams; ///< of Attaches
  bool ReturnsFresh = false;
  bool ReturnsPooled = false; ///< of a cache that belongs to this CPU
  uint32_t Publishes = 0;
  uint32_t Frees = 0;
  /// Sets what the parameter points to to a fresh object, or not at all.
  uint32_t Makes = 0;
  /// The object of the first parameter is found by who finds the second's, or
  /// what is returned.
  std::vector<std::pair<uint8_t, uint8_t>> Attaches;
};

} // namespace kst
