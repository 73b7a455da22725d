// SPDX-License-Identifier: GPL-2.0-or-later
//
// Do no harm: prices rest on what nobody knows when a struct is laid out. Which
// machine will run it, on how many CPUs, who shares its objects, whether CPUs
// wait for its locks. An order has to say what it costs where one of these is
// otherwise, and a move that helps in fewer than half of such cases is none.

#pragma once

#include "hybrid/layout/LayoutProblem.h"

#include <memory>
#include <string>
#include <vector>

namespace kst {

/// CPUs for which orders are priced too, of evidence that is turned to a number
/// of CPUs.
inline constexpr uint32_t AlsoCpus[] = {2, 16, 64, 256};

/// The problem with one thing otherwise. Movable, safe to share; keeps
/// references to the problem.
class Assumption {
public:
  /// Whose models are those of the cases `Models` of the problem, priced as
  /// `Options` say; `Cpus`: of evidence turned to as many, 0 as it is;
  /// `Waiting`: CPUs that arrive while one of its locks is held.
  struct Change {
    std::string Name; ///< "with 2 CPUs": completes "costs more ..."
    CostOptions Options;
    std::vector<size_t> Models;
    uint32_t Cpus = 0;
    double Waiting = 0;
  };
  Assumption(const LayoutProblem &Problem, const Change &Of);

  const std::string &name() const { return Name; }
  /// Without demands, so that its prices are those of orders alone.
  const SearchSpace &space() const { return *Space; }

private:
  std::string Name;
  std::vector<std::unique_ptr<LayoutCost>> Models;
  std::unique_ptr<SearchSpace> Space;
};

/// Each machine of the table that is not the one priced for; AlsoCpus, if the
/// evidence is turned to CPUs, but for the number it is turned to; the other
/// LayoutOptions::AlsoLineBytes; each of the cases of users alone, where
/// nothing says which it is; locks that ContendedArrivals wait for, where none
/// was said to be contended. Objects with one user have machines and lines
/// only.
std::vector<Assumption> assumptions(const LayoutProblem &Problem);

} // namespace kst
