// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was allocated, by whom, and how its type is known.

#ifndef KST_HYBRID_TRACE_TYPELISTING_H
#define KST_HYBRID_TRACE_TYPELISTING_H

#include "hybrid/trace/TraceReader.h"

#include <string>

namespace kst {

/// A line for each type, allocator and site of allocations, most bytes first:
///   bytes objects type size how allocator function file:line
/// Lines that begin with '#' have the share of bytes by how types are known.
/// `Struct`: only this one; empty: all. Reads the trace to its end, or to
/// damage: then its failure() says so.
std::string typeListing(TraceReader &Trace, const std::string &Struct);

} // namespace kst

#endif
