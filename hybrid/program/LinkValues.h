// SPDX-License-Identifier: GPL-2.0-or-later
//
// The value language of the facts, over the whole program: one number for
// each distinct expression, whatever function it came from, so that the
// instance in a callee can be compared with the one in its caller.

#pragma once

#include "hybrid/program/Program.h"

#include <unordered_map>
#include <vector>

namespace kst {

using LinkId = uint32_t; ///< index into LinkValues

/// A node. Operands as in ValueFact, except: records are RecordIds, strings
/// are pool strings, and what only one function knows (Unknown, Local, Call,
/// Choice, Object) carries that function in C.
struct LinkValue {
  ValueKind Kind = ValueKind::Unknown;
  uint32_t A = 0, B = 0, C = 0;
  bool operator==(const LinkValue &) const = default;
};

/// What can be said about a value without its function at hand.
struct ValueTraits {
  bool HasParam = false; ///< a parameter occurs in it
  bool HasLoad = false;  ///< a value read from memory occurs in it, that of a
                         ///< local variable left out
  bool Opaque = false;   ///< something that only its function can name
  uint32_t Depth = 0;
  FunctionId Owner = None; ///< of the opaque part
  /// Innermost loop of Owner in which it changes, or None.
  uint32_t Loop = None;
};

/// Hash-consed values. Grows only; ids stay valid.
class LinkValues {
public:
  LinkValues() = default;
  /// Those of `Base` under the ids that they have there, and more of its own.
  /// Borrows; `Base` must not grow any more.
  explicit LinkValues(const LinkValues *Base)
      : Base(Base), First(static_cast<LinkId>(Base->size())) {}

  LinkId make(LinkValue Value, ValueTraits Traits);
  /// Nodes whose traits follow from their operands.
  LinkId field(LinkId Of, RecordId Record, uint32_t Number);
  LinkId element(LinkId Of, LinkId Index, uint32_t StrideBytes);
  LinkId load(LinkId Address);
  LinkId perCpu(LinkId Address, LinkId Cpu);
  LinkId container(LinkId Member, RecordId Record, uint32_t Number);
  LinkId leaf(ValueKind Kind, uint32_t A = 0, uint32_t B = 0);
  LinkId opaque(ValueKind Kind, uint32_t A, FunctionId Owner, uint32_t Loop);

  const LinkValue &operator[](LinkId Id) const {
    return Id < First ? Base->Values[Id] : Values[Id - First];
  }
  const ValueTraits &traits(LinkId Id) const {
    return Id < First ? Base->Traits[Id] : Traits[Id - First];
  }
  size_t size() const { return First + Values.size(); }

  /// What a Local or Choice may stand for; empty for anything else.
  const std::vector<LinkId> &alternatives(LinkId Id) const;
  void setAlternatives(LinkId Id, std::vector<LinkId> Of);

  /// The address without fields and elements.
  LinkId root(LinkId Id) const;
  /// Whether it is the address of a variable, local or global, as a whole.
  bool isVariable(LinkId Id) const;

private:
  size_t slotOf(const LinkValue &Value, uint64_t Hash) const;
  void grow();
  ValueTraits join(LinkId A, LinkId B = None) const;

  const LinkValues *Base = nullptr;
  LinkId First = 0; ///< of its own
  std::vector<LinkValue> Values;
  std::vector<ValueTraits> Traits;
  /// Open addressing: indices into Values, None where free; a power of two,
  /// at most half of them taken.
  std::vector<uint32_t> Slots;
  std::unordered_map<LinkId, std::vector<LinkId>> Alternatives;
  std::vector<LinkId> NoAlternatives;
};

} // namespace kst
