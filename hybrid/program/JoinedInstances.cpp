// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which instances of a function are one: see FunctionEffects.h.

#include "hybrid/program/FunctionEffects.h"

#include <algorithm>
#include <set>

namespace kst {

/// `tcp_sk(sk)` makes sk's own fields part of the same instance.
void FunctionEffects::joinContainers() {
  struct Container {
    LinkId Instance;
    uint32_t Field;
    uint32_t Offset; ///< in the field
  };
  std::map<LinkId, Container> Parts;
  auto Note = [&](LinkId Value) {
    if (Pool[Value].Kind != ValueKind::Container ||
        Pool[Value].B != Subject.id())
      return;
    uint32_t Field = Pool[Value].C, Offset = 0;
    for (LinkId Part = Pool[Value].A;; Part = Pool[Part].A) {
      Parts.emplace(Part, Container{Value, Field, Offset});
      if (Pool[Part].Kind != ValueKind::Container)
        break;
      Offset +=
          uint32_t(Whole.fieldFact(Pool[Part].B, Pool[Part].C).OffsetBits / 8);
    }
  };
  // Also one that is only handed on to a callee that does nothing with it.
  uint32_t Unit = Whole.Functions[Function].Unit;
  for (uint32_t I = 0; I != Fact.Values.size(); ++I) {
    const ValueFact &Value = Facts.Values[Fact.Values.Begin + I];
    if (Value.Kind == ValueKind::Container &&
        Whole.record(Unit, Value.B) == Subject.id())
      Note(Values.translate(I));
  }
  for (LinkId Value : Values.named())
    Note(Value);
  for (const auto &[Key, Inner] : All)
    if (Key.Field != None)
      Note(Key.Instance);
  if (Parts.empty())
    return;
  std::vector<EffectKey> Moved;
  for (const auto &[Key, Inner] : All)
    if (Key.Field == None && Key.Part != None && Parts.count(Key.Instance))
      Moved.push_back(Key);
  for (const EffectKey &Key : Moved) {
    Effect Inner = std::move(All[Key]);
    All.erase(Key);
    const Container &Into = Parts.at(Key.Instance);
    Subject.keepSpots(Inner, Into.Field, Into.Offset);
    double Ratio = visitsPerCall(Key.Instance, Key.Round) /
                   visitsPerCall(Into.Instance, Key.Round);
    EffectKey Of = Key;
    Of.Instance = Into.Instance;
    Of.Field = Into.Field;
    Of.Part = None;
    All[Of].add(Inner, std::min(1.0, Ratio), Ratio);
  }
}

/// Whether the way to the value leads through a pointer in a subject, such as
/// a parent or a sibling: then it is another instance.
bool FunctionEffects::readsThroughSubject(LinkId Value) const {
  for (;;) {
    const LinkValue &Node = Pool[Value];
    switch (Node.Kind) {
    case ValueKind::Load:
      if (resolve(Node.A, None).Field != None)
        return true;
      Value = Node.A;
      continue;
    case ValueKind::PerCpu: // the CPU tells which one it is
      Value = Node.B;
      continue;
    case ValueKind::Field:
    case ValueKind::Element:
    case ValueKind::Container:
      Value = Node.A;
      continue;
    default:
      return false;
    }
  }
}

/// In which most accesses find it, by whether it is freed then.
std::map<bool, LifeState> FunctionEffects::usualStates(LinkId Instance) const {
  std::map<LifeState, double> Accesses;
  for (const auto &[Key, Inner] : All)
    if (Key.Instance == Instance)
      Accesses[Key.When] += Inner.Reads + Inner.Writes;
  std::map<bool, LifeState> Usual;
  for (const auto &[State, Count] : Accesses) {
    auto [Most, New] =
        Usual.try_emplace(State.What == LifeState::TearDown, State);
    if (!New && Count > Accesses[Most->second])
      Most->second = State;
  }
  return Usual;
}

/// A function deals with one instance unless it shows otherwise: what it
/// reaches through pointers of other objects is taken to be the instance that
/// it was given, when there is exactly one.
void FunctionEffects::joinAliases() {
  std::set<LinkId> Primary;
  for (const auto &[Key, Inner] : All)
    if (Key.Field != None && !Pool.traits(Key.Instance).HasLoad)
      Primary.insert(Key.Instance);
  if (Primary.size() != 1)
    return;
  LinkId Only = *Primary.begin();
  // No other object's pointer leads to one that is made here, and what is freed
  // is not what stays.
  const std::map<bool, LifeState> Usual = usualStates(Only);
  for (const auto &[Freed, State] : Usual)
    if (State.What == LifeState::SetUp || State.What == LifeState::FirstUse)
      return;
  std::vector<std::pair<EffectKey, double>> Moved;
  for (const auto &[Key, Inner] : All) {
    if (Key.Instance == Only || !Pool.traits(Key.Instance).HasLoad ||
        loopOf(Key.Instance) != loopOf(Only) ||
        !Usual.count(Key.When.What == LifeState::TearDown) ||
        readsThroughSubject(Key.Instance))
      continue;
    double Share = Key.Field != None
                       ? 1
                       : (Key.Part != None ? Subject.share(Key.Part) : 0);
    if (Share > 0)
      Moved.push_back({Key, Share});
  }
  for (const auto &[Key, Share] : Moved) {
    Effect Inner = std::move(All[Key]);
    All.erase(Key);
    if (Share < 1)
      Inner.assume();
    uint32_t Field =
        Key.Field != None ? Key.Field : Subject.homes(Key.Part).front();
    if (Key.Field == None)
      Subject.keepSpots(Inner, Field, Subject.homeOffset(Key.Part));
    double Ratio = Share * visitsPerCall(Key.Instance, Key.Round) /
                   visitsPerCall(Only, Key.Round);
    const LifeState When = Usual.at(Key.When.What == LifeState::TearDown);
    All[{Only, Field, None, When, Key.Configuration, Key.Round}].add(
        Inner, std::min(1.0, Ratio), Ratio);
  }
}

} // namespace kst
