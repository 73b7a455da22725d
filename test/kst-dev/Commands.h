// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of kst-dev, for the table in main.

#pragma once

#include "tools/support/CommandLine.h"

namespace kst {

extern const MakeCommand MakeRecords, MakeInstances, MakeRewrite, MakeComments,
    MakeUnits, MakeSolve, MakeCache, MakeEstimate, MakeTraceSample,
    MakeTraceRead, MakePageSample, MakeFrequencies, MakeDebug;

} // namespace kst
