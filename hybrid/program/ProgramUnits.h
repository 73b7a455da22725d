// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which units make one of the programs of a tree: a server, its tests and its
// tools share some.

#pragma once

#include "hybrid/program/Program.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace kst {

/// Borrows the program.
class ProgramUnits {
public:
  explicit ProgramUnits(const Program &Whole);

  /// One entry for each unit: whether a linker would take it, as from an
  /// archive, to resolve what the unit of Main and the units taken so far call,
  /// name or store. Of several units that define one symbol, and none of which
  /// is taken, it is the one that defines the least: a stub, not a server.
  std::vector<bool> of(FunctionId Main) const;

private:
  /// A unit's symbols, by their keys.
  struct Symbols {
    std::vector<std::string_view> Defined, Named;
  };
  static Symbols symbolsOf(const TuFacts &Unit);

  const Program &Whole;
  std::vector<Symbols> Units;
  std::unordered_map<std::string_view, std::vector<uint32_t>> Defining;
};

} // namespace kst
