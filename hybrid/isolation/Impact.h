// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a change of size moves, and onto whose cache line.

#pragma once

#include "hybrid/isolation/FunctionHeat.h"
#include "hybrid/isolation/GlobalUses.h"

#include <array>
#include <set>
#include <string>

namespace kst {

inline constexpr std::array<uint64_t, 4> ImpactModuli = {16, 32, 64, 4096};

/// Functions whose address changes modulo so many bytes.
struct ModuloRow {
  uint64_t ModuloBytes = 0;
  size_t Functions = 0, Data = 0;
  double Heat = 0; ///< share of all heat
  /// Of Heat, that in objects which did not change themselves.
  double OtherHeat = 0;
};

struct MovedFunction {
  std::string Name, Object;
  uint64_t Was = 0, Is = 0;
  double Heat = 0;
};

/// One side of a change: all symbols with their addresses, what runs, and who
/// uses which global. Nothing is owned.
struct ImpactSide {
  const ObjectFile &File;
  std::vector<uint64_t> Address;   ///< by symbol; 0: it is gone
  std::vector<std::string> Object; ///< by symbol; "" where nobody knows
  const std::vector<double> &Heat; ///< by symbol
  const GlobalUses &Uses;
};

struct PairSide {
  std::string Name, Object;
  uint64_t Address = 0, SizeBytes = 0; ///< on the side where they share
  double Writes = 0, Reads = 0, Taken = 0;
  std::vector<std::string> Writers, Readers; ///< the hottest, a few
};

/// Two globals that share a line on one side of the change only.
struct GlobalPair {
  PairSide Written, Read;
  bool Starts = false; ///< they share a line afterwards; else before
  uint64_t Line = 0;   ///< its address, on the side where they share it
  /// The lesser of the heat of who writes the one and of who reads the other:
  /// how often a line can go to and fro.
  double Cost = 0;
  /// Misses by false sharing between the two in a replay, before and after.
  uint64_t FalseBefore = 0, FalseAfter = 0;
};

struct Impact {
  size_t Functions = 0, MovedFunctions = 0, Data = 0, MovedData = 0;
  double AllHeat = 0; ///< 1, or 0 without a profile
  std::array<ModuloRow, ImpactModuli.size()> Moduli;
  std::vector<MovedFunction> Hottest; ///< moved modulo 64, most heat first
  std::vector<GlobalPair> Pairs;      ///< most cost first
  size_t PairsStarting = 0, PairsEnding = 0; ///< all, harmless ones too
  size_t UsesOutside = 0, Uses = 0;
  size_t Gone = 0, New = 0; ///< functions and data
  /// All misses of globals by false sharing, if a trace was replayed.
  std::string Trace;
  uint64_t FalseBefore = 0, FalseAfter = 0;
  size_t PairsOfTrace = 0; ///< that only the trace knows
};

/// As it was linked, and as it is predicted.
ImpactSide sideBefore(const LinkedImage &Image, const FunctionHeat &Heat,
                      const GlobalUses &Uses);
ImpactSide sideAfter(const LinkedImage &Image, const PredictedLink &After,
                     const FunctionHeat &Heat, const GlobalUses &Uses);
/// A global and who uses it, as Of says.
PairSide pairSide(const ImpactSide &In, uint32_t Symbol, const GlobalUse &Of);
/// Functions and data that the new objects of a change have and the old ones
/// have not. They are in no predicted side: nothing says yet who uses them.
size_t addedSymbols(const LinkedImage &Image, const LinkChange &Change);
/// Heat of another image's symbols: that of their names' in this one.
std::vector<double> heatByName(const ObjectFile &From,
                               const std::vector<double> &Heat,
                               const ObjectFile &To);

/// Symbols of both sides are the same if name, without a number of the
/// compiler, file of locals and number among those are. `LineBytes`: of the
/// cache. `Changed`: objects, as in `Before`.
Impact impactOf(const ImpactSide &Before, const ImpactSide &After,
                uint64_t LineBytes, const std::set<std::string> &Changed);

/// Where symbols of the one side are on the other; 0 for what is gone.
std::vector<uint64_t> addressesAfter(const ImpactSide &Before,
                                     const ImpactSide &After);

} // namespace kst
