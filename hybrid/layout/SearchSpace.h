// SPDX-License-Identifier: GPL-2.0-or-later
//
// What every search over orders works on: the rules, the offsets they lead to
// and the price of those. Seeds, local search and frontier share it.

#pragma once

#include "hybrid/affinity/LayoutCost.h"
#include "hybrid/layout/Constraints.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/Placement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kst {

/// An order of move units: Result[i] is the index of the i-th move unit in
/// memory.
using MoveUnitOrder = std::vector<uint32_t>;

/// Per-move unit figures that searches ask for again and again.
struct MoveUnitShape {
  uint64_t SizeBytes = 0; ///< bit-field run: rounded up
  uint64_t AlignBytes = 1;
  double Heat = 0; ///< sum over fields and configurations of expected visits
  bool Active = false; ///< some set, or a demand, speaks of it

  /// One fits where the other is, and nothing else moves.
  bool sameRoom(const MoveUnitShape &Other) const {
    return SizeBytes == Other.SizeBytes && AlignBytes == Other.AlignBytes;
  }
};

/// What an order costs on one configuration: a configuration, an architecture.
struct SearchConfig {
  FieldOffsets Offsets;
  const LayoutCost *Model = nullptr; ///< not owned
  double Share = 1;           ///< factor of its cost in the price of an order
  uint64_t MostBytes = ~0ull; ///< each eight more are a broken demand
};

/// Immutable; keeps references to the record, the rules and the models. All
/// configurations number the fields alike (see JoinedConfigs).
class SearchSpace {
public:
  /// One configuration, no demands.
  SearchSpace(const RecordInfo &Record, const Constraints &Rules,
              const LayoutCost &Model);
  /// Several; the first is the one that seeds and reports speak of, and the
  /// one whose lines `Demands` mean. None may be missing.
  SearchSpace(const RecordInfo &Record, const Constraints &Rules,
              std::vector<SearchConfig> Configs,
              std::vector<Placement> Demands);

  const Constraints &rules() const { return Rules; }
  const std::vector<SearchConfig> &configs() const { return Configs; }
  const LayoutCost &model() const { return *Configs.front().Model; }
  const FieldOffsets &offsets() const { return Configs.front().Offsets; }
  const MoveUnitShape &shape(uint32_t MoveUnit) const {
    return Shapes[MoveUnit];
  }
  uint32_t brickCount() const { return static_cast<uint32_t>(Shapes.size()); }

  MoveUnitOrder declared() const;
  /// The layout on the first configuration.
  Layout layout(std::span<const uint32_t> Order) const {
    return offsets().layout(Rules.fields(Order));
  }
  /// Share-weighted cost over the configurations, plus the penalty of every
  /// demand that is not met: more than any order without it costs.
  double price(std::span<const uint32_t> Order) const;
  const std::vector<Placement> &placements() const { return Demands; }
  /// Demands that the order, with these offsets on the first configuration,
  /// does not meet, and pairs of bit-fields of different runs that it makes
  /// neighbours: they would become one memory location (C11 3.14), so that a
  /// write of one is a write of the other. A field that some configuration
  /// lacks parts nothing.
  size_t unmet(std::span<const uint32_t> Order,
               std::span<const uint64_t> OffsetBits) const;
  /// The second part of unmet(); `Order` may be the beginning of one.
  size_t runsThatMeet(std::span<const uint32_t> Order) const;
  /// Words of eight bytes, begun ones too, of a record of that size beyond what
  /// the configuration may have: small steps show a search the way back.
  static uint64_t wordsTooMany(const SearchConfig &In, uint64_t SizeBytes);
  /// unmet(), and wordsTooMany() of every configuration.
  size_t broken(std::span<const uint32_t> Order,
                std::span<const uint64_t> OffsetBits) const;
  /// The same of an order of move units.
  size_t broken(const MoveUnitOrder &Order) const;
  double placementPenalty() const { return Penalty; }
  /// MoveUnits that a search may pick up and that the evidence or a demand
  /// speaks of, hottest first, ties by index.
  const std::vector<uint32_t> &activeUnits() const { return Active; }

private:
  void findRuns();

  const RecordInfo &Record;
  const Constraints &Rules;
  std::vector<SearchConfig> Configs;
  std::vector<Placement> Demands;
  double Penalty = 0;
  std::vector<MoveUnitShape> Shapes;
  std::vector<uint32_t> Active;
  /// Per field: for a bit-field of some width the number of its run, else 0.
  std::vector<uint32_t> RunOf;
  std::vector<bool> Parts; ///< per field: bit-fields on its sides are apart
  bool SeveralRuns = false;
};

} // namespace kst
