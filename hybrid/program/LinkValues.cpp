// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/LinkValues.h"

#include <algorithm>

namespace kst {

static uint64_t hashOf(const LinkValue &Value) {
  uint64_t H = uint64_t(Value.Kind) * 0x9e3779b97f4a7c15ull;
  for (uint32_t Part : {Value.A, Value.B, Value.C})
    H = (H ^ Part) * 0xff51afd7ed558ccdull, H ^= H >> 29;
  return H;
}

/// Where in Slots the value is, or would be.
size_t LinkValues::slotOf(const LinkValue &Value, uint64_t Hash) const {
  const size_t Mask = Slots.size() - 1;
  size_t At = Hash & Mask;
  while (Slots[At] != None && Values[Slots[At]] != Value)
    At = (At + 1) & Mask;
  return At;
}

/// Twice as many slots.
void LinkValues::grow() {
  Slots.assign(std::max<size_t>(16, 2 * Slots.size()), None);
  for (uint32_t I = 0; I != Values.size(); ++I)
    Slots[slotOf(Values[I], hashOf(Values[I]))] = I;
}

LinkId LinkValues::make(LinkValue Value, ValueTraits Of) {
  const uint64_t Hash = hashOf(Value);
  if (Base && !Base->Slots.empty())
    if (uint32_t I = Base->Slots[Base->slotOf(Value, Hash)]; I != None)
      return I;
  if (2 * Values.size() >= Slots.size())
    grow();
  uint32_t &Slot = Slots[slotOf(Value, Hash)];
  if (Slot == None) {
    Slot = static_cast<uint32_t>(Values.size());
    Values.push_back(Value);
    Traits.push_back(Of);
  }
  return First + Slot;
}

ValueTraits LinkValues::join(LinkId A, LinkId B) const {
  ValueTraits Of = traits(A);
  if (B != None) {
    const ValueTraits Other = traits(B);
    Of.HasParam |= Other.HasParam;
    Of.HasLoad |= Other.HasLoad;
    Of.Opaque |= Other.Opaque;
    Of.Depth = std::max(Of.Depth, Other.Depth);
    if (Of.Owner == None) {
      Of.Owner = Other.Owner;
      Of.Loop = Other.Loop;
    } else if (Other.Owner == Of.Owner && Other.Loop != None) {
      // Loops are numbered outer before inner.
      Of.Loop = Of.Loop == None ? Other.Loop : std::max(Of.Loop, Other.Loop);
    }
  }
  ++Of.Depth;
  return Of;
}

LinkId LinkValues::field(LinkId Of, RecordId Record, uint32_t Number) {
  const LinkValue Value = (*this)[Of];
  if (Value.Kind == ValueKind::Container && Value.B == Record &&
      Value.C == Number)
    return Value.A;
  return make({ValueKind::Field, Of, Record, Number}, join(Of));
}

LinkId LinkValues::element(LinkId Of, LinkId Index, uint32_t StrideBytes) {
  return make({ValueKind::Element, Of, Index, StrideBytes}, join(Of, Index));
}

LinkId LinkValues::load(LinkId Address) {
  ValueTraits Of = join(Address);
  // A variable that lives in memory is a variable all the same.
  Of.HasLoad |= (*this)[Address].Kind != ValueKind::Object;
  return make({ValueKind::Load, Address, 0, 0}, Of);
}

LinkId LinkValues::perCpu(LinkId Address, LinkId Cpu) {
  return make({ValueKind::PerCpu, Address, Cpu, 0}, join(Address, Cpu));
}

LinkId LinkValues::container(LinkId Member, RecordId Record, uint32_t Number) {
  const LinkValue Value = (*this)[Member];
  if (Value.Kind == ValueKind::Field && Value.B == Record && Value.C == Number)
    return Value.A;
  return make({ValueKind::Container, Member, Record, Number}, join(Member));
}

LinkId LinkValues::leaf(ValueKind Kind, uint32_t A, uint32_t B) {
  ValueTraits Of;
  Of.HasParam = Kind == ValueKind::Param;
  return make({Kind, A, B, 0}, Of);
}

LinkId LinkValues::opaque(ValueKind Kind, uint32_t A, FunctionId Owner,
                          uint32_t Loop) {
  ValueTraits Of;
  Of.Opaque = true;
  Of.Owner = Owner;
  Of.Loop = Loop;
  return make({Kind, A, 0, Owner}, Of);
}

const std::vector<LinkId> &LinkValues::alternatives(LinkId Id) const {
  if (const ValueKind Kind = (*this)[Id].Kind;
      Kind != ValueKind::Local && Kind != ValueKind::Choice)
    return NoAlternatives;
  if (auto It = Alternatives.find(Id); It != Alternatives.end())
    return It->second;
  return Base && Id < First ? Base->alternatives(Id) : NoAlternatives;
}

void LinkValues::setAlternatives(LinkId Id, std::vector<LinkId> Of) {
  Alternatives[Id] = std::move(Of);
}

LinkId LinkValues::root(LinkId Id) const {
  while ((*this)[Id].Kind == ValueKind::Field ||
         (*this)[Id].Kind == ValueKind::Element)
    Id = (*this)[Id].A;
  return Id;
}

bool LinkValues::isVariable(LinkId Id) const {
  const LinkValue Value = (*this)[Id];
  const ValueKind Kind =
      Value.Kind == ValueKind::PerCpu ? (*this)[Value.A].Kind : Value.Kind;
  return Kind == ValueKind::Object || Kind == ValueKind::Global;
}

} // namespace kst
