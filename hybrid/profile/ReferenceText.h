// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often functions and lines run in the workloads of others, as text: what
// bench/reference/make.py writes. Small, and of no configuration: functions
// have the numbers of no lines.
//
//   kstatic-affinity reference 1
//   runs 40
//   release 6.12.1           a key and its value, as in Profile::Text
//   @kernel/sched/core.c     the functions that follow are of this file
//   yield_task 1200          entries; no number: it never ran
//   +3 2400                  runs of a line, from that of the function's name
//   +4                       as many as the row before: a line or the function
//
// Keys end with the first file.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <string_view>

namespace kst {

/// By the first line.
bool looksLikeReference(std::string_view Text);

/// Its profile: sites of Entry and Line, of no struct; keeps the rules of
/// checkProfile(). A Failure names the line that is not understood: any other
/// text, or one that is about the same twice.
Result<Profile> readReference(std::string_view Text);

} // namespace kst
