// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which instances of a function are one: see FunctionEffects.h.

#include "hybrid/program/FunctionEffects.h"

#include <algorithm>
#include <set>

namespace kst {

/// Whether a field of another record is or holds a subject.
bool FunctionEffects::holdsSubject(RecordId Record, uint32_t Field) const {
  const RecordId Member = Whole.embedded(Record, Field);
  if (Member == None || Member == Subject.id())
    return Member != None;
  for (uint32_t F = 0; F != Whole.recordFact(Member).Fields.size(); ++F)
    if (holdsSubject(Member, F))
      return true;
  return false;
}

/// `tcp_sk(sk)` makes sk's own fields part of the same instance;
/// `hlist_entry(node, struct other, link)` makes node's nothing of a subject.
void FunctionEffects::joinContainers() {
  struct Container {
    LinkId Instance;
    uint32_t Field;
    uint32_t Offset;  ///< in the field
    double Share = 1; ///< chance that it is so
  };
  std::map<LinkId, Container> Parts;
  std::set<LinkId> OfOthers;
  auto Note = [&](LinkId Value, double Share) {
    if (Pool[Value].Kind != ValueKind::Container)
      return;
    const LinkValue &Outer = Pool[Value];
    if (Outer.B != Subject.id()) {
      if (Subject.homes(Outer.B).empty() && !holdsSubject(Outer.B, Outer.C)) {
        OfOthers.insert(Outer.A);
        for (LinkId Option : Pool.alternatives(Outer.A))
          OfOthers.insert(Option);
      }
      return;
    }
    uint32_t Field = Outer.C, Offset = 0;
    for (LinkId Part = Outer.A;; Part = Pool[Part].A) {
      Parts.emplace(Part, Container{Value, Field, Offset, Share});
      if (Pool[Part].Kind != ValueKind::Container)
        break;
      Offset +=
          uint32_t(Whole.fieldFact(Pool[Part].B, Pool[Part].C).OffsetBits / 8);
    }
  };
  // Also one that is only handed on to a callee that does nothing with it.
  for (uint32_t I = 0; I != Fact.Values.size(); ++I)
    if (Facts.Values[Fact.Values.Begin + I].Kind == ValueKind::Container)
      Values.translate(I); // names it
  for (LinkId Value : Values.named())
    Note(Value, 1);
  // A call through a pointer may have targets that take it for something else.
  for (const auto &[Value, Sure] : MadeByCallees) {
    Note(Value, Sure);
    if (!Values.named().count(Value))
      for (auto &[Key, Inner] : All)
        if (Key.Instance == Value)
          Inner.Sure = Sure;
  }
  for (const auto &[Key, Inner] : All)
    if (Key.Field != None)
      Note(Key.Instance, 1);
  if (Parts.empty() && OfOthers.empty())
    return;
  std::vector<EffectKey> Moved;
  for (const auto &[Key, Inner] : All)
    if (Key.Field == None && Key.Part != None &&
        (Parts.count(Key.Instance) || OfOthers.count(Key.Instance)))
      Moved.push_back(Key);
  for (const EffectKey &Key : Moved) {
    Effect Inner = std::move(All[Key]);
    All.erase(Key);
    auto It = Parts.find(Key.Instance);
    if (It == Parts.end())
      continue;
    // The rest is what other targets of the call take it for.
    const Container &Into = It->second;
    Subject.keepSpots(Inner, Into.Field, Into.Offset);
    const double Ratio = Into.Share * visitsPerCall(Key.Instance, Key.Round) /
                         visitsPerCall(Into.Instance, Key.Round);
    EffectKey Of = Key;
    Of.Instance = Into.Instance;
    Of.Field = Into.Field;
    Of.Part = None;
    Effect &Joined = All[Of];
    Joined.add(Inner, std::min(1.0, Ratio), Ratio);
    Joined.Sure = Into.Share;
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
