// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a proposal obeyed, what its author lifted, and whose rules nobody knows,
// in sentences: for the head of a patch and for the text report.

#pragma once

#include "hybrid/fieldorder/Report.h"

#include <string>
#include <vector>

namespace kst {

/// Paragraphs: how many rules hold what; those without a proof by name; those
/// that were lifted, by name, with who answers for it. Empty when there is no
/// rule. At most `Named` of a kind are named.
std::vector<std::string> ruleSentences(const Report &Of, size_t Named = 6);

/// "2 places reach its memory other than by members, and whether an order is
/// legal there is not known: walk() (a.c:3) uses bytes at an offset that
/// varies; ..." "" when there is none. At most `Named` are named.
std::string opaqueSentence(const Report &Of, size_t Named = 6);

/// "12 of 345 units that see the definition were not looked at: ..." with a few
/// names and the command that looks at all; or that it is not known. "" when
/// all were looked at. `Several`: the report has other configurations too.
std::string missedSentence(const UnanalyzedUsers &Of, bool Several);

/// Which other records an edit of the definition changes; "" if none.
std::string alsoChangedSentence(const Report &Of);

} // namespace kst
