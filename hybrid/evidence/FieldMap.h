// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which field of the analysed struct each bit of a measured one belongs to,
// where the two have different layouts.

#pragma once

#include "hybrid/core/Record.h"
#include "hybrid/profile/Profile.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// How a field was found again.
enum class FoundBy : uint8_t {
  Name,       ///< the profile knows the member's name
  Code,       ///< the same accesses at the same places of unchanged code
  Neighbours, ///< members before and behind moved by the same distance
};

class FieldMap {
public:
  /// Bits of the measured struct that are one field of the analysed one.
  struct Piece {
    uint64_t EndBits = 0; ///< one past the last
    uint32_t Field = 0;   ///< None: of two, and nobody knows which
    FoundBy How = FoundBy::Name;
    bool operator==(const Piece &) const = default;
  };

  /// Layouts that are equal: each field is where it was.
  static FieldMap same(const RecordInfo &Record);

  /// Adds a piece; an overlapping one with another field is lost with it:
  /// nobody knows which of the two the counts are of.
  void add(uint64_t BeginBits, const Piece &What);
  /// The piece around that bit with its first bit; null where the field is not
  /// known.
  const std::pair<const uint64_t, Piece> *at(uint64_t Bit) const;
  const std::map<uint64_t, Piece> &pieces() const { return All; }

  /// The site at its bytes of the analysed struct: several of a bulk access
  /// whose fields are no longer neighbours, none if its field is not known.
  /// Struct, function and line stay. What was of the whole measured struct, of
  /// WasBytes, is of the whole again.
  std::vector<MeasuredSite> moved(const MeasuredSite &Site,
                                  const RecordInfo &Record,
                                  uint32_t WasBytes) const;
  /// Its field's name where that has another size now, so that bytes inside of
  /// it tell nothing; else "".
  std::string nameIfResized(const MeasuredSite &Site,
                            const RecordInfo &Record) const;

private:
  std::vector<MeasuredSite> movedBulk(const MeasuredSite &Site,
                                      const RecordInfo &Record,
                                      uint32_t WasBytes) const;

  std::map<uint64_t, Piece> All; ///< by first bit
};

} // namespace kst
