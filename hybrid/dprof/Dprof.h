// SPDX-License-Identifier: GPL-2.0-or-later
//
// The data profile of a trace: the one call that makes it.

#pragma once

#include "hybrid/dprof/DataProfile.h"
#include "hybrid/dprof/NamedPlaces.h"
#include "hybrid/dprof/ReportedOrder.h"
#include "hybrid/trace/TraceReader.h"

#include <span>

namespace kst {

struct DprofOptions {
  CacheGeometry Geometry;
  CacheLevel Level = CacheLevel::L2; ///< one that exists
  ClassRule Sharing = ClassRule::AtMiss;
  std::array<double, Servers> Latency{}; ///< cycles, by who serves
  /// To replay, each of another struct; they outlive the call.
  std::span<const ReportedOrder> Orders;
  /// Of structs whose fields the trace names without offsets. Accesses to
  /// others of them are left out.
  StructMembers Members;
};

/// Reads the trace to its end. Memory: the tables of the trace, what lives at
/// one time, a few words for each line that was ever touched (to know a first
/// touch), and bounded tables; none of it grows with the events. A failure if
/// the trace is damaged, has no access that a place is known of, has more than
/// MaxCacheCpus streams, or lacks a struct of the name and size that an order
/// is of.
Result<DataProfile> dprof(TraceReader &Trace, const DprofOptions &Options);

} // namespace kst
