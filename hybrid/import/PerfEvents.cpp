// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/PerfEvents.h"

#include <algorithm>
#include <bit>

namespace kst {
namespace {

constexpr size_t LeastAttrBytes = 64; ///< the first version of perf_event_attr
constexpr uint64_t BranchHasIndex = 1 << 17, BranchHasCounters = 1 << 19;

/// Bits of PerfEvent::ReadFormat.
enum : uint64_t {
  ReadEnabled = 1,
  ReadRunning = 2,
  ReadId = 4,
  ReadGroup = 8,
  ReadLost = 16
};

void skipRead(ForeignBytes &In, uint64_t Format) {
  uint64_t Values = 1;
  if (Format & ReadGroup)
    Values = In.take<uint64_t>();
  In.take(8 * (!!(Format & ReadEnabled) + !!(Format & ReadRunning)));
  uint64_t Each = 1 + !!(Format & ReadId) + !!(Format & ReadLost);
  In.take(Values <= In.left() ? Values * Each * 8 : ~uint64_t(0));
}

/// Rows of so many bytes.
void skipRows(ForeignBytes &In, uint64_t Rows, uint64_t Bytes) {
  In.take(Rows <= In.left() ? Rows * Bytes : ~uint64_t(0));
}

void skipRegisters(ForeignBytes &In, uint64_t Mask) {
  if (In.take<uint64_t>())
    In.take(8 * static_cast<uint64_t>(std::popcount(Mask)));
}

} // namespace

std::optional<PerfEvent> PerfEvent::read(std::string_view Attr, bool Big) {
  if (Attr.size() < LeastAttrBytes)
    return std::nullopt;
  ForeignBytes In(Attr, Big);
  PerfEvent Out;
  Out.Type = In.at<uint32_t>(0);
  Out.Config = In.at<uint64_t>(8);
  Out.Period = In.at<uint64_t>(16);
  Out.SampleType = In.at<uint64_t>(24);
  Out.ReadFormat = In.at<uint64_t>(32);
  // Bit fields begin with the lowest bit here, with the highest there.
  auto Bit = [&](unsigned Number) {
    unsigned In = Number % 8;
    return static_cast<unsigned char>(Attr[40 + Number / 8]) >>
               (Big ? 7 - In : In) &
           1;
  };
  Out.IsFrequency = Bit(10);
  Out.SampleIdAll = Bit(18);
  Out.BreakpointType = In.at<uint32_t>(52);
  Out.BreakpointBytes = In.at<uint64_t>(64);
  Out.BranchType = In.at<uint64_t>(72);
  Out.UserRegisters = In.at<uint64_t>(80);
  return Out;
}

void PerfEvents::add(const PerfEvent &Event, const std::vector<uint64_t> &Ids) {
  for (uint64_t Id : Ids)
    ById.try_emplace(Id, Events.size());
  Events.push_back(Event);
}

const PerfEvent *PerfEvents::byId(uint64_t Id) const {
  auto At = ById.find(Id);
  if (At != ById.end())
    return &Events[At->second];
  return Events.size() == 1 ? &Events[0] : nullptr;
}

/// With several events, all name themselves in the same way.
bool PerfEvents::sound() const {
  if (Events.size() < 2)
    return !Events.empty();
  if (std::all_of(Events.begin(), Events.end(),
                  [](const PerfEvent &E) { return E.has(PerfIdentifier); }))
    return true;
  return std::all_of(Events.begin(), Events.end(), [&](const PerfEvent &E) {
    return E.SampleType == Events[0].SampleType && E.has(PerfId);
  });
}

std::optional<PerfSample> PerfEvents::sample(std::string_view Body,
                                             bool Big) const {
  if (!sound())
    return std::nullopt;
  ForeignBytes In(Body, Big);
  uint64_t Id = 0;
  if (Events[0].has(PerfIdentifier)) {
    Id = In.at<uint64_t>(0);
  } else if (Events.size() > 1) {
    uint64_t Before =
        Events[0].SampleType & (PerfIp | PerfTid | PerfTime | PerfAddr);
    Id = In.at<uint64_t>(8 * static_cast<uint64_t>(std::popcount(Before)));
  }
  const PerfEvent *Of = byId(Id);
  if (!Of)
    return std::nullopt;
  PerfSample Out;
  Out.Event = Of;
  if (Of->has(PerfIdentifier))
    In.take(8);
  if (Of->has(PerfIp))
    Out.Ip = In.take<uint64_t>();
  if (Of->has(PerfTid)) {
    In.take(4);
    Out.Task = In.take<uint32_t>();
  }
  if (Of->has(PerfTime))
    Out.Time = In.take<uint64_t>();
  if (Of->has(PerfAddr))
    Out.Address = In.take<uint64_t>();
  if (Of->has(PerfId))
    In.take(8);
  if (Of->has(PerfStreamId))
    In.take(8);
  if (Of->has(PerfCpu)) {
    Out.Cpu = In.take<uint32_t>();
    In.take(4);
  }
  if (Of->has(PerfPeriod))
    In.take(8);
  if (Of->has(PerfRead))
    skipRead(In, Of->ReadFormat);
  if (Of->has(PerfCallchain))
    skipRows(In, In.take<uint64_t>(), 8);
  if (Of->has(PerfRaw))
    Out.Raw = In.take(In.take<uint32_t>());
  if (Of->has(PerfBranches)) {
    uint64_t Rows = In.take<uint64_t>();
    In.take(Of->BranchType & BranchHasIndex ? 8 : 0);
    skipRows(In, Rows, Of->BranchType & BranchHasCounters ? 32 : 24);
  }
  if (Of->has(PerfUserRegisters))
    skipRegisters(In, Of->UserRegisters);
  if (Of->has(PerfUserStack))
    if (uint64_t Size = In.take<uint64_t>()) {
      In.take(Size);
      In.take(8);
    }
  if (Of->has(PerfWeight) || Of->has(PerfWeights))
    In.take(8);
  if (Of->has(PerfDataSource))
    Out.DataSource = In.take<uint64_t>();
  if (!In.good())
    return std::nullopt;
  return Out;
}

std::optional<PerfSample> PerfEvents::tail(std::string_view Body,
                                           bool Big) const {
  if (!sound() || !Events[0].SampleIdAll)
    return std::nullopt;
  ForeignBytes In(Body, Big);
  const PerfEvent *Of = &Events[0];
  if (Of->has(PerfIdentifier) && Body.size() >= 8)
    if (const PerfEvent *Named = byId(In.at<uint64_t>(Body.size() - 8)))
      Of = Named;
  uint64_t Bits = Of->SampleType & (PerfTid | PerfTime | PerfId | PerfStreamId |
                                    PerfCpu | PerfIdentifier);
  size_t Size = 8 * static_cast<size_t>(std::popcount(Bits));
  if (Size > Body.size())
    return std::nullopt;
  In.take(Body.size() - Size);
  PerfSample Out;
  Out.Event = Of;
  if (Of->has(PerfTid)) {
    In.take(4);
    Out.Task = In.take<uint32_t>();
  }
  if (Of->has(PerfTime))
    Out.Time = In.take<uint64_t>();
  if (Of->has(PerfId))
    In.take(8);
  if (Of->has(PerfStreamId))
    In.take(8);
  if (Of->has(PerfCpu))
    Out.Cpu = In.take<uint32_t>();
  return Out;
}

} // namespace kst
