// SPDX-License-Identifier: GPL-2.0-or-later
//
// What ownership does to the evidence about a record, and to the price of
// sharing.

#pragma once

#include "hybrid/affinity/Sharing.h"
#include "hybrid/core/Evidence.h"

#include <span>
#include <string>

namespace kst {

/// Every visit becomes one by the object's owner, whatever the source says
/// about single visits: no sharing is left. Source: who said so.
void makeExclusive(AffinityEvidence &Of, std::string Source);

/// The options under which the sharing of these sets is worked out: what is
/// known about the users in place of what is assumed, and their stays.
SharingOptions sharingOptions(SharingOptions Options, const Ownership &Users,
                              std::span<const CoAccessSet> Sets);

} // namespace kst
