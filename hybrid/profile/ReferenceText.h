// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often functions and lines run in the workloads of others, as text: what
// bench/reference/make.py writes. Small, and of no configuration: functions
// have the numbers of no lines.
//
//   kstatic-affinity reference 3
//   runs 40
//   release 6.12.1           a key and its value, as in Profile::Text
//   @kernel/sched/core.c     the functions that follow are of this file; none:
//                            no function of it ever ran
//   yield_task 1200          entries, and runs of its lines until the next row;
//                            no number: it never ran
//   +3 2400 a.               runs of a line, from that of the function's name,
//                            and of those behind it until the next row; two
//                            digits of base 64 for its text, if it has some
//   +9                       nothing is known from here on
//   =task_struct 45          of its visits to objects of that struct, percent
//                            by another CPU than the object's own
//
// Keys end with the first file.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <functional>
#include <string_view>

namespace kst {

/// By the first line.
bool looksLikeReference(std::string_view Text);

/// Its profile: sites of Entry and Line, of no struct; an Entry of no function
/// stands for all of its file. Keeps the rules of checkProfile(). A Failure
/// names the line that is not understood: any other text, one that is about the
/// same twice, or lines that are not in order. Of functions whose name is not
/// `Wanted`, if that is given, it reads all and keeps nothing.
Result<Profile>
readReference(std::string_view Text,
              const std::function<bool(std::string_view)> &Wanted = {});

} // namespace kst
