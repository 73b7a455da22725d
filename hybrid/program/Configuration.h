// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code runs while the system is being configured: at boot and module
// load, under a lock that is taken for configuration only, or from nowhere
// else.

#ifndef KST_HYBRID_PROGRAM_CONFIGURATION_H
#define KST_HYBRID_PROGRAM_CONFIGURATION_H

#include "hybrid/program/CodeFrequencies.h"
#include "hybrid/vocabulary/LifetimeNames.h"

#include <vector>

namespace kst {

/// Computed once for a program. A function that is called here, and not entered
/// otherwise, is configuration if all its calls are.
class ConfigurationCode {
public:
  ConfigurationCode(const Program &Whole, const CodeFrequencies &Code);

  /// Block is relative to the function; Order as in AccessFact.
  bool at(FunctionId Function, uint32_t Block, uint32_t Order) const;
  bool whole(FunctionId Function) const { return All[Function]; }

private:
  struct Mark {
    uint32_t Block, Order;
    ConfigurationMark What;
  };
  struct Held {
    std::vector<Mark> Marks;   ///< by block and order
    std::vector<bool> AtBegin; ///< of each block
  };
  void findMarks(const Program &Whole, FunctionId Id);
  static std::vector<bool> waysToEnd(const TuFacts &Facts,
                                     const FunctionFact &Fact, const Held &Of);
  void spread(const Program &Whole, const CodeFrequencies &Code);
  bool held(FunctionId Function, uint32_t Block, uint32_t Order) const;

  std::vector<bool> All;
  std::vector<bool> Checked;
  std::vector<uint32_t> Index; ///< into Locked, or None
  std::vector<Held> Locked;
};

} // namespace kst

#endif
