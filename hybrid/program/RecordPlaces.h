// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where records are held by value and which pointers lead into them: what a
// pointer tells of the object that it points into, for every subject alike.

#pragma once

#include "hybrid/program/Program.h"

#include <map>
#include <utility>
#include <vector>

namespace kst {

/// A field of a record, by numbers.
using FieldId = std::pair<RecordId, uint32_t>;

/// Borrows the program.
class RecordPlaces {
public:
  explicit RecordPlaces(const Program &Whole);

  /// The fields that hold the record by value, ascending.
  const std::vector<FieldId> &holders(RecordId Part) const {
    return Holders[Part];
  }
  /// Held in so many places (list heads, locks, counters) that a bare pointer
  /// to it does not tell whose it is.
  bool isBlock(RecordId Part) const { return isBlock(Holders[Part].size()); }
  static bool isBlock(size_t Count);

  /// A top-level field that a pointer may point into, and the share of the
  /// stores to the pointer that make it do so.
  struct Aim {
    uint32_t Field = None;
    double Share = 0;
  };
  /// The pointers in fields of records that somebody makes point into Id.
  std::map<FieldId, Aim> aims(RecordId Id) const;

private:
  /// A store of the address of a field of a record, or of something inside.
  struct Pointed {
    FieldId Pointer;
    uint32_t Field; ///< of the record
  };

  std::vector<std::vector<FieldId>> Holders; ///< by record
  std::map<FieldId, unsigned> Stores;        ///< to a pointer in a field
  std::vector<std::vector<Pointed>> Inner;   ///< by record
};

} // namespace kst
