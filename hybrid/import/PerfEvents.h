// SPDX-License-Identifier: GPL-2.0-or-later
//
// The events that a perf.data file records: what each sample of one has, and
// where. perf_event_open(2) has the layouts.

#pragma once

#include "hybrid/import/ForeignBytes.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace kst {

/// What a perf_event_attr says that readers need.
struct PerfEvent {
  enum : uint32_t { Tracepoint = 2, Breakpoint = 5 };
  uint32_t Type = 0, BreakpointType = 0;
  uint64_t Config = 0, Period = 0, SampleType = 0, ReadFormat = 0;
  uint64_t BreakpointBytes = 0;
  uint64_t BranchType = 0, UserRegisters = 0;
  bool SampleIdAll = false; ///< other records end with time, CPU and so on
  bool IsFrequency = false; ///< Period is one: samples a second

  /// Nothing if there are too few bytes.
  static std::optional<PerfEvent> read(std::string_view Attr, bool Big);
  bool has(uint64_t Bit) const { return SampleType & Bit; }
};

/// Bits of PerfEvent::SampleType that matter by themselves.
enum PerfSampleBit : uint64_t {
  PerfIp = 1 << 0,
  PerfTid = 1 << 1,
  PerfTime = 1 << 2,
  PerfAddr = 1 << 3,
  PerfRead = 1 << 4,
  PerfCallchain = 1 << 5,
  PerfId = 1 << 6,
  PerfCpu = 1 << 7,
  PerfPeriod = 1 << 8,
  PerfStreamId = 1 << 9,
  PerfRaw = 1 << 10,
  PerfBranches = 1 << 11,
  PerfUserRegisters = 1 << 12,
  PerfUserStack = 1 << 13,
  PerfWeight = 1 << 14,
  PerfDataSource = 1 << 15,
  PerfIdentifier = 1 << 16,
  PerfWeights = 1 << 24,
};

/// One sample, or what stands at the end of another record.
struct PerfSample {
  const PerfEvent *Event = nullptr;
  uint64_t Ip = 0, Time = 0, Address = 0, DataSource = 0;
  uint32_t Task = 0, Cpu = 0;
  std::string_view Raw;
};

/// The events of a file by the numbers that samples name them with.
class PerfEvents {
public:
  void add(const PerfEvent &Event, const std::vector<uint64_t> &Ids);
  const std::vector<PerfEvent> &all() const { return Events; }
  /// Whether a record of this number of events can name its event.
  bool sound() const;

  /// Of the body of a sample, and of the end of another record. Nothing if it
  /// names no event or has too few bytes.
  std::optional<PerfSample> sample(std::string_view Body, bool Big) const;
  std::optional<PerfSample> tail(std::string_view Body, bool Big) const;

private:
  const PerfEvent *byId(uint64_t Id) const;

  std::vector<PerfEvent> Events;
  std::unordered_map<uint64_t, size_t> ById;
};

} // namespace kst
