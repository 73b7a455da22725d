// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to elements of arrays in objects: the event before one says where
// the array begins, or nobody knows the object.

#pragma once

#include "hybrid/import/RawTrace.h"
#include "hybrid/import/TableSite.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace kst {

/// Where the arrays begin whose elements are accessed: the event before an
/// access says it (KST_MARK_PLACE).
class ArrayPlaces {
public:
  /// The address of the place that the site names; none: E is no access, or
  /// one to an element of an array that is not known. The code may form a
  /// pointer on one path only, or a signal handler come between.
  std::optional<uint64_t> of(uint32_t Stream, const RawTraceEvent &E,
                             const kst_table_site &Site) {
    Begin &At = Last[{Stream, E.Context}];
    const Begin Before = std::exchange(At, {});
    if (Site.marks & KST_MARK_PLACE)
      At = {Site.record, Site.offset, E.Address};
    else if (!Site.element)
      return E.Address;
    else if (Before.Record == Site.record && Before.Offset == Site.offset)
      return Before.Address;
    return std::nullopt;
  }

private:
  struct Begin {
    uint32_t Record = KST_NO_RECORD, Offset = 0;
    uint64_t Address = 0;
  };
  std::map<std::pair<uint32_t, uint8_t>, Begin> Last; ///< stream, context
};

/// The kind of an access of which only the address is known.
inline uint16_t byAddress(uint16_t Kind) {
  switch (Kind) {
  case KST_SITE_READ:
  case KST_SITE_BULK_READ:
    return KST_SITE_BY_ADDRESS_READ;
  case KST_SITE_WRITE:
  case KST_SITE_BULK_WRITE:
    return KST_SITE_BY_ADDRESS_WRITE;
  case KST_SITE_READ_WRITE:
    return KST_SITE_BY_ADDRESS_BOTH;
  default:
    return Kind;
  }
}

} // namespace kst
