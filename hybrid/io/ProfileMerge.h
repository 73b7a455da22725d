// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several runs as one: counts add up. Runs of different kernels, or of
// different layouts of one struct, do not.

#ifndef KST_HYBRID_IO_PROFILEMERGE_H
#define KST_HYBRID_IO_PROFILEMERGE_H

#include "hybrid/model/Profile.h"
#include "hybrid/model/Result.h"

#include <optional>

namespace kst {

/// A profile and the name by which people know it: its file.
struct NamedProfile {
  std::string Name;
  Profile What;
};

/// Why these profiles are not of one program, naming the first two files that
/// differ and what differs: source, release, machine or config, where both say
/// it; or the layout of a struct. Where units of a program have several structs
/// of one name, one profile's must be among the other's. Structs without
/// members are compared by size. Nothing if they fit. Profiles keep the rules
/// of checkProfile().
std::optional<Failure> profilesDiffer(const std::vector<NamedProfile> &Of);

/// The sum of all: counts, runs, durations and losses add; texts about the run
/// are joined, but for `pid`, which goes if it differs. The order of the inputs
/// does not matter, and sums of sums are the sum. A function is not counted if
/// no input that knows sites of it counts them. A Failure if profilesDiffer(),
/// if there is none to add, or if a sum does not fit 64 bits.
///
/// Time: linear in the size of the inputs, times the logarithm of their number
/// where they differ. Inputs are used up.
Result<Profile> mergeProfiles(std::vector<NamedProfile> Inputs);

} // namespace kst

#endif
