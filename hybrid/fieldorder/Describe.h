// SPDX-License-Identifier: GPL-2.0-or-later
//
// The report for people: the verdict, what changes and the groups that matter
// first, everything else after it.

#pragma once

#include "hybrid/fieldorder/Report.h"
#include "hybrid/report/Document.h"

namespace kst {

Document describe(const Report &R);

} // namespace kst
