// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which fields of a record a function uses, itself or through what it calls
// directly: from the facts alone, without weights.

#ifndef KST_HYBRID_PIPELINE_FIELDREACH_H
#define KST_HYBRID_PIPELINE_FIELDREACH_H

#include "hybrid/program/Program.h"

#include <optional>
#include <set>
#include <vector>

namespace kst {

class FieldReach {
public:
  /// Of all records of this name. Borrows the program.
  FieldReach(const Program &Whole, const std::string &Struct);

  /// Fields whose contents or address it uses, by their numbers, or functions
  /// that it calls by name do, and so on; calls through pointers are not
  /// followed. Also those whose address somebody hands to it.
  std::set<uint32_t> uses(FunctionId Function);

private:
  struct Direct {
    std::set<uint32_t> Fields;
    std::vector<FunctionId> Callees;
  };
  const Direct &direct(FunctionId Function);

  const Program &Whole;
  std::set<RecordId> Records;
  std::vector<std::optional<Direct>> Known;
  /// By function: fields whose address is an argument of some call of it.
  std::vector<std::set<uint32_t>> Handed;
};

} // namespace kst

#endif
