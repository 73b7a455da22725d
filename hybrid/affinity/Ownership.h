// SPDX-License-Identifier: GPL-2.0-or-later
//
// What ownership does to the evidence about a record, and to the price of
// sharing.

#pragma once

#include "hybrid/affinity/Sharing.h"
#include "hybrid/core/Evidence.h"

#include <span>
#include <string>
#include <vector>

namespace kst {

/// Every visit becomes one by the object's owner, whatever the source says
/// about single visits: no sharing is left. Source: who said so.
void makeExclusive(AffinityEvidence &Of, std::string Source);

/// The options under which the sharing of these sets is worked out: what is
/// known about the users in place of what is assumed, and their stays.
SharingOptions sharingOptions(SharingOptions Options, const Ownership &Users,
                              std::span<const CoAccessSet> Sets);

/// Whether objects belong to a CPU or a task: a part of the visits tells whose
/// the object is.
bool haveOwners(std::span<const CoAccessSet> Sets);

/// Whether nothing says who shares the objects: neither a measurement nor the
/// user does, nor do they have owners.
bool usersUnknown(const AffinityEvidence &Of);

/// The other case, where objects are not handed from one user to the next:
/// every CPU visits each as often as any other, and visits come in any turn.
SharingOptions sharedByAll(SharingOptions Options, const Ownership &Users);

/// The same visits, to objects that all CPUs use for long. Of each field's
/// writes are left out
///  - WritesOfALife for every object that is made: next to a long life that is
///    nothing;
///  - all but PlainMeets of those that nothing guards: plain ones, in visits
///    without a lock, of fields that other functions use as plainly. Beside
///    another thread's access such a write would be a data race (C11, 5.1.2.4),
///    so it happens when nobody else is there.
/// Fields: of the record, as the sets use them.
std::vector<CoAccessSet> ofSharedObjects(std::span<const CoAccessSet> Sets,
                                         std::span<const FieldUse> Fields);
inline constexpr double WritesOfALife = 2; ///< a judgement
inline constexpr double PlainMeets = 0.1;  ///< a judgement

} // namespace kst
