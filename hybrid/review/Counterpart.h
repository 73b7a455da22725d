// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which struct of a program before a change is which after it.

#pragma once

#include "hybrid/program/Program.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// Compares unit by unit: macros give a record several forms, and each form of
/// the head has come from what the same unit had. Borrows both programs.
class Counterparts {
public:
  Counterparts(const Program &Base, const Program &Head);

  /// The record of the base that became record Id of the head: of the same name
  /// in a unit that has Id, the first that is laid out otherwise if there is
  /// one; or else in the same file, with fields of the same names, and gone
  /// from the head. None: it is new, or in no unit that the base has too.
  std::optional<RecordInfo> of(RecordId Id) const;

private:
  std::optional<RecordInfo> ofName(RecordId Id, const RecordInfo &Record) const;
  std::optional<RecordInfo> underAnotherName(const RecordInfo &Record) const;

  const Program &Base, &Head;
  std::vector<std::vector<uint32_t>>
      UnitsOf; ///< of the base, by record of Head
  std::map<std::pair<uint32_t, StrId>, std::vector<RecordId>>
      Named; ///< in Base
  /// Of Head: in files of which not every command was parsed in both.
  std::set<RecordId> Unpaired;
};

/// The fields by which alone the records differ, if these only hold what
/// changed; none: the definition itself did.
std::vector<std::string> changedWithin(const RecordInfo &Base,
                                       const RecordInfo &Head);

} // namespace kst
