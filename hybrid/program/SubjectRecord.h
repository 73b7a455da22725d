// SPDX-License-Identifier: GPL-2.0-or-later
//
// The struct that is analysed, and the records it holds by value: an access
// through `struct cfs_rq *` may be one of a field of struct rq.

#pragma once

#include "hybrid/program/Program.h"

#include <map>
#include <vector>

namespace kst {

class SubjectRecord {
public:
  SubjectRecord(const Program &Whole, RecordId Id);

  RecordId id() const { return Id; }
  uint32_t fieldCount() const { return FieldCount; }

  /// The subject's top-level fields in which a record lives, at any depth.
  /// Empty for a record that is not part of the subject.
  const std::vector<uint32_t> &homes(RecordId Part) const;

  /// How likely a pointer to Part, of which nothing else is known, points into
  /// a subject: one over the number of places that hold a Part by value, plus
  /// one for those allocated alone. 0 for a record held in so many places
  /// (list heads, locks, counters) that the pointer says nothing.
  double share(RecordId Part) const;

  /// A top-level field that the pointer in field Number of Holder may point
  /// into, and the share of the stores to it that make it do so.
  struct Aim {
    uint32_t Field = None;
    double Share = 0;
  };
  Aim aim(RecordId Holder, uint32_t Number) const;

private:
  void addAims();
  void addHomes(RecordId Part, uint32_t Field, unsigned Depth);

  const Program &Whole;
  RecordId Id;
  uint32_t FieldCount;
  std::map<RecordId, std::vector<uint32_t>> Homes;
  std::map<RecordId, unsigned> Places;
  std::map<std::pair<RecordId, uint32_t>, Aim> Aims;
  std::vector<uint32_t> Nowhere;
};

} // namespace kst
