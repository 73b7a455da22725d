// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules that hybrid/facts/Facts.h states in comments, as a check: whoever
// holds facts that passed it may follow every index without looking.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/facts/Facts.h"

#include <optional>

namespace kst {

/// The first rule that the facts break, or nothing when they keep all:
///  - every StrId, record, field, value and call number is in its table (or is
///    None, where the model allows it), every range lies in its table with
///    Begin <= End, every enumerator is a known one;
///  - values, calls, blocks and loops of a function are numbers within that
///    function, and the parents of its loops form no cycle;
///  - values form no cycle except through Local, whose definitions may depend
///    on itself, and Call;
///  - frequencies are finite and not negative, alignments powers of two;
///  - Strings[0] is "".
/// Time and memory linear in the size of the facts. Deterministic.
std::optional<Failure> checkFacts(const TuFacts &Facts);

} // namespace kst
