// SPDX-License-Identifier: GPL-2.0-or-later
//
// What would help against a finding, in the words of C, and as edits where text
// can be changed safely.

#pragma once

#include "hybrid/sharing/Findings.h"

namespace kst {

/// What meets on a line of a finding: places that are written and used, and
/// what that loses.
struct MeetingPlaces {
  const SharedPlace *Writer, *Victim;
  double Count;
};

/// A member that is written, one that is used beside it, and what that loses.
struct MemberPair {
  std::string Written, Used;
  double Loss;
};

/// An alignment of the members whose pairs lose most, until the rest loses
/// little; no text if there are none. `Of`: an edit of any member, or None.
SharingRemedy alignedMembers(const std::vector<MemberPair> &Pairs,
                             const LineEdit &Of, uint32_t LineBytes);

/// Adds remedies, the best first. `All`: dearest first, not empty.
void addRemedies(SharingFinding &To, const std::vector<MeetingPlaces> &All,
                 uint32_t LineBytes);

} // namespace kst
