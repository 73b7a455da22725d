// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which code runs while the system is being configured: at boot and module
// load, under a lock that is taken for configuration only, or from nowhere
// else.

#pragma once

#include "hybrid/program/CodeFrequencies.h"

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
  enum class MarkKind : uint8_t { None, Begins, Tries, Ends, Checked };
  struct Mark {
    uint32_t Block, Order;
    MarkKind Kind;
  };
  struct Held {
    std::vector<Mark> Marks;   ///< by block and order
    std::vector<bool> AtBegin; ///< of each block
  };
  static MarkKind markOf(std::string_view Function);
  static MarkKind lockMarkOf(std::string_view Function);
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
