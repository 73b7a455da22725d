// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/FreePages.h"

#include "passes/recorder/Events.h"

#include <algorithm>

namespace kst {
namespace {

constexpr uint64_t Movable = 1;
/// Of include/linux/mmzone.h: lists of orders 0 to 3 by type, then of huge
/// pages that are not movable and that are.
constexpr uint64_t CpuTypes = 3, SmallCpuLists = 12;
/// PAGEBLOCK: bits of each block, and those of its type.
constexpr uint64_t BitsOfBlock = 4, TypeBits = 7;

TraceEvent state(PageStateKind Kind, uint32_t Zone, uint64_t Value,
                 uint64_t Index) {
  return event(EventKind::PageState, 0, 0,
               static_cast<uint32_t>(Kind) | Zone << 8, Value, Index);
}

} // namespace

void FreePages::findZones() {
  for (uint64_t Node = 0; Node < std::max<uint64_t>(Z.NodeNumber, 1); ++Node) {
    uint64_t At = Z.Nodes ? Memory.read(Z.Nodes + Node * 8) : Z.OnlyNode;
    for (uint64_t I = 0; At && I < Z.ZoneNumber; ++I) {
      Zone Of{At + Z.ZonesOffset + I * Z.ZoneBytes, 0, 0, {0, 0}, {0, 0}};
      Of.Start = Memory.read(Of.Address, Z.Start);
      Of.Span = Memory.read(Of.Address, Z.Span);
      if (Of.Span && Of.Start + Of.Span <= Memory.frames())
        Zones.push_back(Of);
    }
  }
}

void FreePages::limits(uint32_t Number, std::vector<TraceEvent> &Out,
                       bool All) {
  Zone &Of = Zones[Number];
  uint64_t Marks[] = {Memory.read(Of.Address + Z.Marks.Offset),
                      Memory.read(Of.Address + Z.Marks.Offset + 16)};
  uint64_t Lists[] = {Memory.read(Of.Address, Z.Batch),
                      Memory.read(Of.Address, Z.HighLeast) |
                          Memory.read(Of.Address, Z.HighMost) << 32};
  if (All || !std::equal(Marks, Marks + 2, Of.Marks))
    Out.push_back(state(PageStateKind::Marks, Number, Marks[0], Marks[1]));
  if (All || !std::equal(Lists, Lists + 2, Of.Lists))
    Out.push_back(state(PageStateKind::CpuLists, Number, Lists[0], Lists[1]));
  std::copy(Marks, Marks + 2, Of.Marks);
  std::copy(Lists, Lists + 2, Of.Lists);
}

void FreePages::blocks(uint32_t Number, std::vector<TraceEvent> &Out) {
  const Zone &Of = Zones[Number];
  if (!Z.Sections)
    return;
  const uint64_t Frames = uint64_t(1) << Z.BlockOrder,
                 PerSection = uint64_t(1) << (S.SectionBits - 12),
                 PerRoot = PageBytes / Z.SectionBytes;
  for (uint64_t Frame = Of.Start & (0 - Frames); Frame < Of.Start + Of.Span;
       Frame += Frames) {
    uint64_t Section = Frame / PerSection;
    uint64_t Root =
        Memory.read(Memory.read(Z.Sections) + Section / PerRoot * 8);
    uint64_t Use = Root ? Memory.read(Root + Section % PerRoot * Z.SectionBytes,
                                      Z.SectionUse)
                        : 0;
    uint64_t Bit = Frame % PerSection / Frames * BitsOfBlock;
    uint64_t Type =
        Use ? Memory.read(Use + Z.BlockBits + Bit / 64 * 8) >> Bit % 64 &
                  TypeBits
            : Movable;
    if (Type != Movable)
      Out.push_back(state(PageStateKind::Block, Number, Frame, Type));
  }
}

template <typename F>
void FreePages::forEachOnList(const Zone &Of, uint64_t Head, F &&Take) const {
  // A list that changes meanwhile may lead anywhere: it ends there.
  uint64_t At = Memory.read(Head);
  for (uint64_t Count = 0; At != Head && Count < Of.Span; ++Count) {
    uint64_t Frame = Memory.frameOfStruct(At - Z.PageList);
    if (Frame - Of.Start >= Of.Span)
      return;
    Take(Frame);
    At = Memory.read(At);
  }
}

void FreePages::freeLists(uint32_t Number, std::vector<TraceEvent> &Out) {
  const Zone &Of = Zones[Number];
  for (uint64_t Order = 0; Order < Z.Areas.SizeBytes / Z.AreaBytes; ++Order)
    for (uint64_t Type = 0; Type < Z.ListNumber; ++Type)
      forEachOnList(
          Of, Of.Address + Z.Areas.Offset + Order * Z.AreaBytes + Type * 16,
          [&](uint64_t Frame) {
            Out.push_back(
                state(PageStateKind::Free, Number, Frame, Order | Type << 8));
          });
}

void FreePages::cpuLists(uint32_t Number, const std::vector<uint64_t> &PerCpu,
                         std::vector<TraceEvent> &Out) {
  const Zone &Of = Zones[Number];
  uint64_t Lists = Memory.read(Of.Address, Z.CpuLists);
  for (uint64_t Cpu = 0; Lists && Cpu < PerCpu.size(); ++Cpu) {
    if (!PerCpu[Cpu])
      continue;
    uint64_t Own = PerCpu[Cpu] + Lists;
    Out.push_back(state(PageStateKind::CpuCounts, Number, Cpu,
                        Memory.read(Own, Z.High) |
                            Memory.read(Own, Z.FreedInRow) << 32 |
                            Memory.read(Own, Z.Doublings) << 48));
    for (uint64_t I = 0; I < Z.Lists.SizeBytes / 16; ++I) {
      bool Small = I < SmallCpuLists;
      uint64_t Order = Small ? I / CpuTypes : Z.BlockOrder,
               Type = Small ? I % CpuTypes : I - SmallCpuLists;
      forEachOnList(Of, Own + Z.Lists.Offset + I * 16, [&](uint64_t Frame) {
        Out.push_back(state(PageStateKind::CpuPage, Number, Frame,
                            Order | Type << 8 | Cpu << 16));
      });
    }
  }
}

std::vector<TraceEvent>
FreePages::changes(const std::vector<uint64_t> &PerCpu) {
  std::vector<TraceEvent> Out;
  if (!Z.ZoneBytes)
    return Out;
  bool First = !Told;
  if (First)
    findZones();
  Told = true;
  for (uint32_t I = 0; First && I < Zones.size(); ++I) {
    Out.push_back(state(PageStateKind::Zone, I, Zones[I].Start, Zones[I].Span));
    Out.back().SizeBytes = static_cast<uint32_t>(PageBytes << Z.BlockOrder);
  }
  for (uint32_t I = 0; I < Zones.size(); ++I) {
    limits(I, Out, First);
    if (!First)
      continue;
    blocks(I, Out);
    freeLists(I, Out);
    cpuLists(I, PerCpu, Out);
  }
  return Out;
}

} // namespace kst
