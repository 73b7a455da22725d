// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who uses objects: by function, how often the CPU that mostly uses an object
// at the time, its owner, and how often another.

#ifndef KST_HYBRID_TRACE_USERLISTING_H
#define KST_HYBRID_TRACE_USERLISTING_H

#include "hybrid/trace/TraceReader.h"

#include <string>

namespace kst {

/// A line for each struct, function and file, by struct, most visits first:
///   visits by-others in-loops struct function file
/// A visit is a stretch of accesses to one object by one CPU in one function.
/// in-loops: of those by others the ones in a loop over CPUs (CpuLoops).
/// Before these, for each struct a line that begins with '#': all accesses,
/// those by others, the stays that these come in, and how many stays are by a
/// different CPU than the stay before.
/// `Struct`: only this one; empty: all. Reads the trace to its end, or to
/// damage: then its failure() says so.
std::string userListing(TraceReader &Trace, const std::string &Struct);

} // namespace kst

#endif
