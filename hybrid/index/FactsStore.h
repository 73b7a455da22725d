// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts of many units, each thing once: inline functions and records of
// headers are in nearly every unit. Any of the units can be had again, merged
// into what a program takes from them.

#pragma once

#include "hybrid/core/Hash.h"
#include "hybrid/core/Result.h"
#include "hybrid/facts/Facts.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kst {

/// What a unit has: numbers of rows of FactsStore::all(), in the unit's order.
struct UnitRows {
  StrId MainFile = 0, Triple = 0;
  /// All, as their order is that in which a program numbers them.
  std::vector<uint32_t> Strings;
  std::vector<uint32_t> Records, Functions, Tables, Slabs, Variables, Drops,
      Demands, PointerFlows;
  bool operator==(const UnitRows &) const = default;
};

class FactsStore {
public:
  FactsStore();
  ~FactsStore();
  FactsStore(FactsStore &&);
  FactsStore &operator=(FactsStore &&);
  /// A store that was written. Fails unless the rows of the units are in the
  /// tables of All, which keep the rules of checkFacts().
  static Result<FactsStore> from(TuFacts All, std::vector<UnitRows> Units);

  /// Adds units. What the store has already is not taken again.
  void add(const TuFacts &Unit);
  void add(const FactsStore &Others);

  /// Every row once; the tables of no single unit. Bodies of one function that
  /// differ between units are all here.
  const TuFacts &all() const { return All; }
  size_t size() const { return Units.size(); }
  const std::vector<UnitRows> &units() const { return Units; }

  /// The units in the given order, and all rows in the order in which these
  /// name them: the same for however many stores they came through. Order has
  /// each unit once.
  FactsStore ordered(std::span<const uint32_t> Order) const;

  /// The facts of one unit, as they were but for the numbers of strings.
  TuFacts unit(uint32_t Number) const;

  /// Facts F such that Program({F}) is Program of these units: functions and
  /// records under the same numbers, the same tables, flows of pointers,
  /// demands and drops. What it cannot tell apart is left out: bodies that the
  /// program does not take, flows, demands and drops that are there already,
  /// unused strings. At least one unit, each once.
  TuFacts merged(std::vector<uint32_t> Which) const;

private:
  struct Known;
  Known &known();

  TuFacts All;
  std::vector<UnitRows> Units;
  std::unique_ptr<Known> There; ///< made when something is added
};

} // namespace kst
