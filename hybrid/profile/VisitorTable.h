// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who comes: which share of a function's visits to objects of a struct other
// CPUs make than the one that mostly uses the object at the time, as recordings
// of others saw it. Functions run on behalf of the owner or against it,
// whatever the workload: `try_to_wake_up()` visits other CPUs' tasks,
// `__schedule()` its own.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kst {

class VisitorTable {
public:
  /// Of one struct, by "file:function".
  using Shares = std::unordered_map<std::string, double>;

  VisitorTable() = default;
  /// The rows `=STRUCT PERCENT` of a reference (ReferenceText.h), which is
  /// known to be one.
  explicit VisitorTable(std::string_view Reference);

  /// Null: no recording saw a visit.
  const Shares *of(const std::string &Struct) const;
  bool empty() const { return ByStruct.empty(); }

private:
  std::unordered_map<std::string, Shares> ByStruct;
};

} // namespace kst
