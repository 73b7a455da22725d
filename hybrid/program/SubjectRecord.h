// SPDX-License-Identifier: GPL-2.0-or-later
//
// The struct that is analysed, and the records it holds by value: an access
// through `struct cfs_rq *` may be one of a field of struct rq.

#pragma once

#include "hybrid/program/Effects.h"
#include "hybrid/program/RecordPlaces.h"

#include <map>
#include <vector>

namespace kst {

/// Borrows the program and the places.
class SubjectRecord {
public:
  SubjectRecord(const Program &Whole, const RecordPlaces &Places, RecordId Id);
  /// No struct at all, of which every building block is a part: what the
  /// effects of functions on any subject have in common.
  static SubjectRecord none(const Program &Whole, const RecordPlaces &Places);

  /// An id that no record has, of none().
  RecordId id() const { return Id; }
  uint32_t fieldCount() const { return FieldCount; }
  uint64_t sizeBytes() const { return SizeBytes; } ///< 0 of none()

  /// The subject's top-level fields in which a record lives, at any depth.
  /// Empty for a record that is not part of the subject.
  const std::vector<uint32_t> &homes(RecordId Part) const;
  /// Bytes from the start of the first of the homes to the record.
  uint32_t homeOffset(RecordId Part) const;
  /// What spots an effect on the record at Offset of a field, which it is known
  /// to be, has as one on that field.
  void keepSpots(Effect &Of, uint32_t Field, uint32_t Offset) const;
  /// The records that have homes, ascending.
  std::vector<RecordId> parts() const;

  /// How likely a pointer to Part, of which nothing else is known, points into
  /// a subject: one over the number of fields that hold a Part at any depth, of
  /// the subject and of records that no other holds, plus one for those
  /// allocated alone. 0 for a building block.
  double share(RecordId Part) const;

  using Aim = RecordPlaces::Aim;
  /// Where the pointer in field Number of Holder may point into.
  Aim aim(RecordId Holder, uint32_t Number) const;
  const std::map<FieldId, Aim> &aims() const { return Aims; }

private:
  SubjectRecord(const Program &Whole, const RecordPlaces &Places);
  void addHomes(RecordId Part, uint32_t Field, uint32_t Offset, unsigned Depth);
  size_t countPlaces(RecordId Part);

  const Program &Whole;
  const RecordPlaces &Places;
  RecordId Id;
  uint32_t FieldCount = 0;
  uint64_t SizeBytes = 0;
  std::map<RecordId, std::vector<uint32_t>> Homes;
  std::map<RecordId, uint32_t> HomeOffsets;
  std::map<RecordId, size_t> Counts; ///< of places, at least of all homes
  std::map<FieldId, Aim> Aims;
  std::vector<uint32_t> Nowhere;
};

} // namespace kst
