// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a program of user space has threads, as far as its source shows.

#pragma once

#include "hybrid/program/Program.h"

namespace kst {

/// The units hold main() and nothing of a kernel, and none of them calls or
/// names a function that starts a thread, or calls one by which processes share
/// memory (ThreadStarts.cpp has the list). Libraries that start threads by
/// themselves are not noticed, nor OpenMP's pragmas.
bool startsNoThread(const Program &Whole);

} // namespace kst
