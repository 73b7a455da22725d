// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/dprof/ObjectHistories.h"

#include <algorithm>

namespace kst {

/// So wide that 64 bits reach over an object.
static uint32_t grainShift(uint32_t SizeBytes) {
  uint32_t Shift = 3;
  while (Shift < 24 && uint64_t(64) << Shift < SizeBytes)
    ++Shift;
  return Shift;
}

ObjectHistories::ObjectHistories(std::vector<uint32_t> SizeBytes)
    : Types(SizeBytes.size()) {
  for (size_t T = 0; T < SizeBytes.size(); ++T)
    Types[T].GrainShift = grainShift(SizeBytes[T]);
}

/// Different for different objects but for a chance of 2^-63; Object has the
/// truth.
uint64_t ObjectHistories::key(const Identity &Of) {
  uint64_t H = (Of.Address ^ uint64_t(Of.Type) << 44) * 0x9e3779b97f4a7c15;
  H = (H ^ H >> 32) * 0xd6e8feb86659fd93;
  return (H ^ H >> 32) >> 2;
}

uint32_t ObjectHistories::open(const Identity &Of, bool Seen) {
  uint32_t Row = uint32_t(Objects.size());
  if (FreeRows.empty()) {
    Objects.emplace_back();
  } else {
    Row = FreeRows.back();
    FreeRows.pop_back();
    Objects[Row] = {};
  }
  Object &New = Objects[Row];
  New.Address = Of.Address;
  New.Number = Of.Number;
  New.Type = Of.Type;
  New.SizeBytes = Of.SizeBytes;
  Rows[key(Of)] = Row + 1;
  uint32_t &Root = Types[Of.Type].Roots[Seen ? 0 : 1];
  if (!Root && Nodes.size() < MostNodes) {
    Root = uint32_t(Nodes.size());
    Node &At = Nodes.emplace_back();
    At.Parent = Root;
    At.Seen = Seen;
    At.Type = Of.Type;
  }
  New.Tip = New.Current = Root;
  New.Cut = !Root;
  ++Nodes[Root].Objects;
  return Row;
}

uint32_t ObjectHistories::rowOf(const Identity &Of) {
  if (Latest < Objects.size() && isIn(Of, Latest))
    return Latest;
  uint32_t *At = Rows.find(key(Of));
  if (At && isIn(Of, *At - 1))
    return Latest = *At - 1;
  if (At)
    close(*At - 1, false);
  return Latest = open(Of, false);
}

void ObjectHistories::close(uint32_t Row, bool Freed) {
  Object &Of = Objects[Row];
  OfType &T = Types[Of.Type];
  T.Objects += Of.Accessed;
  T.Moved += Of.Moved;
  T.Cut += Of.Cut;
  Nodes[Of.Tip].Ended += Freed;
  Nodes[Of.Tip].Cut += Of.Cut;
  Rows.erase(key({Of.Address, Of.Number, Of.Type, 0}));
  Of.Type = Free;
  FreeRows.push_back(Row);
}

void ObjectHistories::begin(const Identity &Of, const Step &By) {
  if (uint32_t *At = Rows.find(key(Of)))
    close(*At - 1, false);
  Object &New = Objects[open(Of, true)];
  New.Cpu = uint16_t(By.Cpu);
  New.Begun = true;
  enter(New, By, false);
}

void ObjectHistories::access(const Identity &Of, const Step &By) {
  Object &At = Objects[rowOf(Of)];
  At.Accessed = true;
  if (At.Function != By.Function || At.Cpu != By.Cpu || !At.Begun)
    move(At, By);
  Node &Step = Nodes[At.Current];
  Step.Loads += By.Loads && !By.Stores;
  Step.Stores += By.Stores;
  const uint32_t Shift = Types[At.Type].GrainShift;
  const uint32_t First = std::min(By.OffsetBytes >> Shift, 63u);
  const uint32_t Last = uint32_t(std::min<uint64_t>(
      (uint64_t(By.OffsetBytes) + std::max(By.SizeBytes, 1u) - 1) >> Shift,
      63));
  Step.Touched |= ~uint64_t(0) >> (63 - (Last - First)) << First;
}

void ObjectHistories::end(const Identity &Of, const Step &By) {
  uint32_t *At = Rows.find(key(Of));
  if (!At)
    return; // nobody has accessed it
  const uint32_t Row = *At - 1;
  enter(Objects[Row], By,
        Objects[Row].Begun && Objects[Row].Cpu != uint16_t(By.Cpu));
  close(Row, true);
}

/// Another function or CPU has the object.
void ObjectHistories::move(Object &Of, const Step &By) {
  const bool Moved = Of.Begun && Of.Cpu != By.Cpu;
  if (Moved) {
    Of.Moved = true;
    ++Types[Of.Type].Moves;
  }
  Of.Begun = true;
  Of.Cpu = uint16_t(By.Cpu);
  enter(Of, By, Moved);
}

void ObjectHistories::enter(Object &Of, const Step &By, bool Moved) {
  Of.Function = By.Function;
  if (Of.Cut)
    return;
  if (!Moved)
    for (uint32_t At = Of.Tip;; At = Nodes[At].Parent) {
      if (Nodes[At].Function == By.Function) {
        Of.Current = At;
        return;
      }
      if (Nodes[At].OtherCpu || Nodes[At].Parent == At)
        break;
    }
  if (uint32_t Next = child(Of, By.Function, Moved)) {
    Of.Tip = Of.Current = Next;
    ++Nodes[Next].Objects;
    ++Of.Steps;
  } else {
    Of.Cut = true;
    Of.Current = 0;
  }
}

/// 0 if no more is kept.
uint32_t ObjectHistories::child(Object &Of, uint32_t Function, bool OtherCpu) {
  if (Of.Steps >= MostSteps)
    return 0;
  const uint64_t Key =
      (uint64_t(Of.Tip) << 32 | Function) << 1 | uint64_t(OtherCpu);
  if (const uint32_t *At = Children.find(Key))
    return *At;
  OfType &T = Types[Of.Type];
  if (Nodes.size() >= MostNodes || T.Nodes >= MostNodesOfType)
    return 0;
  ++T.Nodes;
  const uint32_t New = uint32_t(Nodes.size());
  Node &At = Nodes.emplace_back();
  At.Parent = Of.Tip;
  At.Function = Function;
  At.Type = Of.Type;
  At.OtherCpu = OtherCpu;
  return Children[Key] = New;
}

void ObjectHistories::finish(const std::vector<std::string> &Texts,
                             std::vector<TypeRow> &Rows) {
  for (uint32_t Row = 0; Row < Objects.size(); ++Row)
    if (Objects[Row].Type != Free)
      close(Row, false);
  for (size_t T = 0; T < Types.size(); ++T) {
    Rows[T].Objects = Types[T].Objects;
    Rows[T].MovedObjects = Types[T].Moved;
    Rows[T].Moves = Types[T].Moves;
    Rows[T].Paths.GrainBytes = 1u << Types[T].GrainShift;
    Rows[T].Paths.Cut = Types[T].Cut;
  }
  // Nodes are behind their parents, and stay so within their type.
  std::vector<uint32_t> Place(Nodes.size());
  for (uint32_t N = 1; N < Nodes.size(); ++N) {
    const Node &From = Nodes[N];
    auto &To = Rows[From.Type].Paths.Nodes;
    Place[N] = uint32_t(To.size());
    FlowNode Out;
    Out.Parent = From.Parent == N ? Place[N] : Place[From.Parent];
    if (From.Function < Texts.size())
      Out.Function = Texts[From.Function];
    Out.OtherCpu = From.OtherCpu;
    Out.Seen = From.Seen;
    Out.Objects = From.Objects;
    Out.Ended = From.Ended;
    Out.Cut = From.Cut;
    Out.Loads = From.Loads;
    Out.Stores = From.Stores;
    Out.Touched = From.Touched;
    To.push_back(std::move(Out));
  }
}

} // namespace kst
