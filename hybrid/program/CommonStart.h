// SPDX-License-Identifier: GPL-2.0-or-later
//
// What two records begin with alike, so that code can take a pointer to one for
// a pointer to the other.

#pragma once

#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// A field that must stay where it is, of the record or of one inside.
struct StartField {
  RecordId Record = None;
  uint32_t Field = 0;
  bool operator==(const StartField &) const = default;
};

struct CommonStart {
  /// The fields that hold what agrees, each once, outer before inner, by
  /// ascending offset.
  std::vector<StartField> OfFirst, OfSecond;
  uint32_t Members = 0; ///< pairs of members that agree
  /// Both have the same record at offset 0, under whatever name, or one is
  /// that record.
  bool SameRecord = false;
  bool any() const { return Members || SameRecord; }
};

/// When two members at the same place are taken for one, the more the surer it
/// is that code takes one record for the other.
enum class Agreement {
  Text,  ///< equal name and type, as written
  Name,  ///< equal name and kind of value: `u32 refs`, `refcnt_t refs`
  Place, ///< equal kind of value: `sa_family`, `sin_family`
};

/// Compares from offset 0 until the two differ: members of embedded records
/// and of anonymous ones count as members; padding does not.
CommonStart commonStart(const Program &Whole, RecordId First, RecordId Second,
                        Agreement Wanted = Agreement::Text);

/// What the records of a program have at offset 0. Borrows the program.
class RecordStarts {
public:
  explicit RecordStarts(const Program &Whole);

  /// Records that have this one at offset 0, or are it; ascending.
  const std::vector<RecordId> &beginningWith(RecordId Inner) const {
    return Holding[Inner];
  }
  /// Other records of which commonStart() by Agreement::Text may find
  /// something; ascending.
  std::vector<RecordId> likelyAlike(RecordId Id) const;

private:
  std::vector<std::vector<RecordId>> Holding; ///< by the record inside
  std::vector<std::vector<uint32_t>> Keys;    ///< by record
  std::vector<std::vector<RecordId>> ByKey;
};

} // namespace kst
