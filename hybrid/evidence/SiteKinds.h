// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a measured site of some kind does.

#pragma once

#include "hybrid/profile/Profile.h"

namespace kst {

inline bool reads(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Read:
  case SiteKind::ReadWrite:
  case SiteKind::BulkRead:
  case SiteKind::ByAddressRead:
  case SiteKind::ByAddressBoth:
    return true;
  default:
    return false;
  }
}

inline bool writes(SiteKind Kind) {
  switch (Kind) {
  case SiteKind::Write:
  case SiteKind::ReadWrite:
  case SiteKind::BulkWrite:
  case SiteKind::ByAddressWrite:
  case SiteKind::ByAddressBoth:
    return true;
  default:
    return false;
  }
}

inline bool isByAddress(SiteKind Kind) {
  return Kind == SiteKind::ByAddressRead || Kind == SiteKind::ByAddressWrite ||
         Kind == SiteKind::ByAddressBoth;
}

inline bool isBulk(SiteKind Kind) {
  return Kind == SiteKind::BulkRead || Kind == SiteKind::BulkWrite;
}

} // namespace kst
