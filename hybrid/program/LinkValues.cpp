// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/LinkValues.h"

#include <algorithm>

namespace kst {

LinkId LinkValues::make(LinkValue Value, ValueTraits Of) {
  if (Base)
    if (auto It = Base->Known.find(Value); It != Base->Known.end())
      return It->second;
  auto [It, New] = Known.try_emplace(Value, LinkId(size()));
  if (New) {
    Values.push_back(Value);
    Traits.push_back(Of);
  }
  return It->second;
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

LinkId LinkValues::element(LinkId Of, LinkId Index) {
  return make({ValueKind::Element, Of, Index, 0}, join(Of, Index));
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
