// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/sharing/SourceAddresses.h"

#include "hybrid/sharing/Findings.h"

#include <algorithm>

namespace kst {

namespace {

constexpr uint64_t RoomBytes = uint64_t(1) << 40; ///< for each root
/// Where a block of malloc() begins on its line, and the bytes in front of it.
constexpr uint64_t PageBytes = 4096;
constexpr uint64_t HeapBegin = 16, HeapHead = 8, HeapAlign = 16;

} // namespace

SourceAddresses::SourceAddresses(const Program &Whole, const ThreadWalk &Walk,
                                 uint64_t LineBytes)
    : Whole(Whole), LineBytes(LineBytes) {
  placeVariables();
  for (const RoleUse &Use : Walk.Uses)
    measure(Use);
}

bool SourceAddresses::isConstant(const MemoryPlace &Of) const {
  const auto It = Variables.find(Of.Key);
  return Of.Root == MemoryPlace::Variable && It != Variables.end() &&
         It->second.Constant;
}

void SourceAddresses::placeVariables() {
  std::map<std::pair<std::string, bool>, uint64_t> End;
  uint64_t Next = RoomBytes;
  for (uint32_t U = 0; U != Whole.unitCount(); ++U) {
    const TuFacts &Facts = Whole.unit(U);
    for (const VariableFact &Fact : Facts.Variables) {
      if (Fact.Flags & VarOfThread)
        continue;
      const std::string &Key = Facts.Strings[Fact.Key];
      auto [It, New] = Variables.try_emplace(Key);
      if (!New)
        continue;
      // One in a section of its own lies elsewhere.
      const std::string Where =
          Fact.Flags & VarInSection ? Key : Facts.Strings[Fact.File];
      auto [At, First] =
          End.try_emplace({Where, (Fact.Flags & VarInitialized) != 0}, Next);
      if (First)
        Next += RoomBytes;
      const uint64_t Align = std::max(Fact.AlignBytes, 1u);
      It->second.Address = (At->second + Align - 1) / Align * Align;
      It->second.SizeBytes = Fact.SizeBytes;
      It->second.Constant = Fact.Flags & VarConstant;
      At->second = It->second.Address + Fact.SizeBytes;
    }
  }
  NextRoom = Next;
}

uint64_t SourceAddresses::strideOf(const RoleUse &Use, size_t Step) const {
  const PlaceStep &Of = Use.At.Steps[Step];
  if (Of.StrideBytes)
    return Of.StrideBytes;
  if (Step + 1 < Use.At.Steps.size() && !Use.At.Steps[Step + 1].isElement())
    return sizeOf(Use.At.Steps[Step + 1].Record);
  return Use.SizeBytes;
}

/// Of a root: as large as it was allocated, or as what is used of it.
void SourceAddresses::measure(const RoleUse &Use) {
  const std::vector<PlaceStep> &Steps = Use.At.Steps;
  uint64_t Here = Use.SizeBytes, Offset = 0, &Align = Alignment[Use.At.Key];
  if (!Steps.empty() && !Steps.front().isElement())
    Here = sizeOf(Steps.front().Record);
  for (size_t I = 0; I != Steps.size(); ++I)
    if (!Steps[I].isElement())
      Offset += Whole.fieldFact(Steps[I].Record, Steps[I].Field).OffsetBits / 8;
    else if (Steps[I].Index == Differs::Same && Steps[I].Number > 0)
      Offset += uint64_t(Steps[I].Number) * strideOf(Use, I);
  uint64_t &Size = RootBytes[Use.At.Key];
  Size = std::max({Size, Here, Offset + Use.SizeBytes, Use.At.BlockBytes});
  // The alignment of the type of the object or its elements.
  for (const PlaceStep &Step : Steps)
    if (!Step.isElement()) {
      Align =
          std::max<uint64_t>(Align, Whole.recordFact(Step.Record).AlignBytes);
      break;
    }
}

uint64_t SourceAddresses::roomOf(const std::string &Key) {
  auto [It, New] = Rooms.try_emplace(Key, NextRoom);
  if (New)
    NextRoom += RoomBytes;
  return It->second;
}

/// Where the root begins for thread number Thread.
uint64_t SourceAddresses::base(const MemoryPlace &Of, uint32_t Thread) {
  if (Of.Root == MemoryPlace::Variable) {
    auto It = Variables.find(Of.Key);
    if (It != Variables.end())
      return It->second.Address;
    return roomOf(Of.Key); // defined elsewhere
  }
  const uint64_t Align = std::max<uint64_t>(Alignment[Of.Key], Of.AlignBytes);
  const bool Malloc = Of.Root == MemoryPlace::Heap && Align < LineBytes;
  const uint64_t Begin = roomOf(Of.Key) + (Malloc ? HeapBegin : 0);
  if (!Of.ByThread)
    return Begin;
  // What a thread makes itself is in a part of the heap, or on a stack, of
  // its own.
  // Of blocks of unknown size nothing is said.
  if (Of.Root != MemoryPlace::Heap || Of.InThread || !Of.BlockBytes)
    return Begin + (Thread + 1) * roundUp(2 * RootBytes[Of.Key], PageBytes);
  const uint64_t Block =
      std::max<uint64_t>(RootBytes[Of.Key] + HeapHead, 2 * HeapAlign);
  return Begin + Thread * roundUp(Block, std::max(Align, HeapAlign));
}

std::optional<SourceAddresses::Place> SourceAddresses::of(const RoleUse &Use,
                                                          uint32_t Thread) {
  const uint64_t Base = base(Use.At, Thread);
  Place Out{Base, Base, Use.SizeBytes};
  bool Own = Use.At.ByThread, Inside = false;
  for (size_t I = 0; I != Use.At.Steps.size(); ++I) {
    const PlaceStep &Step = Use.At.Steps[I];
    if (!Step.isElement()) {
      Inside = true;
      Out.Address += Whole.fieldFact(Step.Record, Step.Field).OffsetBits / 8;
      continue;
    }
    Own |= Step.Index == Differs::ByThread;
    if (Step.Index == Differs::Any) {
      // Anywhere in an array that is a member of the thread's own object.
      if (!Own || !I || Use.At.Steps[I - 1].isElement())
        return std::nullopt;
      const PlaceStep &In = Use.At.Steps[I - 1];
      Out.Bytes = Whole.fieldFact(In.Record, In.Field).SizeBits / 8;
      return Out;
    }
    const uint64_t Number =
        Step.Index == Differs::ByThread ? Thread : uint64_t(Step.Number);
    Out.Address += Number * strideOf(Use, I);
    // Elements of a member are parts of the object.
    if (!Inside)
      Out.Object = Out.Object * 31 + Number + 1;
  }
  if (auto It = Variables.find(Use.At.Key);
      Use.At.Root == MemoryPlace::Variable && It != Variables.end())
    Out.Outside = Out.Address + Out.Bytes > Base + It->second.SizeBytes;
  return Out;
}

} // namespace kst
