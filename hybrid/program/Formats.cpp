// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/Formats.h"

#include "hybrid/vocabulary/Vocabulary.h"

#include <algorithm>
#include <string_view>

namespace kst {
namespace {

constexpr unsigned MaxNesting = 32;

SourceRule whole(const char *Id, std::string Why, Site Where,
                 RuleStrength Strength = RuleStrength::Hard) {
  return {RuleKind::AllFixed, {}, std::move(Why), std::move(Where), ruleId(Id),
          Strength,           {}};
}

/// Members that are numbers of more than one byte, arrays and embedded records
/// included.
struct Numbers {
  unsigned Fixed = 0;  ///< of a byte order that their type names
  unsigned Native = 0; ///< of the machine's
  bool Pointers = false;

  Numbers(const Program &Whole, RecordId Id) { add(Whole, Id, 0); }

private:
  void add(const Program &Whole, RecordId Id, unsigned Depth) {
    for (uint32_t F = 0; F != Whole.recordFact(Id).Fields.size(); ++F) {
      const FieldFact &Field = Whole.fieldFact(Id, F);
      if (RecordId Inner = Whole.embedded(Id, F); Inner != None) {
        if (Depth < MaxNesting)
          add(Whole, Inner, Depth + 1);
        continue;
      }
      std::string_view Type = Whole.recordText(Id, Field.TypeName);
      Pointers |= (Field.Flags & FldPointer) || Type.find('*') != Type.npos;
      if (isA(NameKind::ByteOrderType, Type))
        ++Fixed;
      else if (Field.AlignBytes > 1 && Field.SizeBits)
        ++Native;
    }
  }
};

/// Whether code names a member of a union.
bool isNamed(const Program &Whole, RecordId Union, uint32_t Field) {
  for (uint32_t Unit = 0; Unit != Whole.unitCount(); ++Unit)
    for (const ValueFact &Value : Whole.unit(Unit).Values)
      if (Value.Kind == ValueKind::Field && Value.C == Field &&
          Whole.record(Unit, Value.B) == Union)
        return true;
  return false;
}

/// A union of the record and of numbers that reach beyond its first member, or
/// None. Bytes count if code names them: they are padding as often. Numbers
/// that reach beyond the record, such as a stack, do not.
RecordId sharedWithNumbers(const Program &Whole, RecordId Id) {
  const RecordFact &Fact = Whole.recordFact(Id);
  uint64_t First = Fact.Fields.size() > 1 ? Whole.fieldFact(Id, 0).SizeBits : 0;
  for (RecordId Union = 0; First && Union != Whole.recordCount(); ++Union) {
    const RecordFact &Shared = Whole.recordFact(Union);
    if (!(Shared.Flags & RecUnion))
      continue;
    bool Holds = false, Numbers = false;
    std::vector<uint32_t> Bytes;
    for (uint32_t F = 0; F != Shared.Fields.size(); ++F) {
      const FieldFact &Field = Whole.fieldFact(Union, F);
      RecordId Inner = Whole.embedded(Union, F);
      Holds |= Inner == Id;
      bool Covers = Inner == None && Field.SizeBits <= 8 * Fact.SizeBytes &&
                    Field.SizeBits > First &&
                    Whole.recordText(Union, Field.TypeName).find('*') ==
                        std::string::npos;
      if (Covers && Field.AlignBytes > 1)
        Numbers = true;
      else if (Covers)
        Bytes.push_back(F);
    }
    if (Holds && (Numbers || std::ranges::any_of(Bytes, [&](uint32_t F) {
                    return isNamed(Whole, Union, F);
                  })))
      return Union;
  }
  return None;
}

/// A use by which Door takes the bytes of a record somewhere.
const UntypedUse *throughDoor(const std::vector<UntypedUse> &Uses,
                              const NameUse &Door) {
  SlotKind Slot = Door.Argument == NameUse::Result   ? SlotKind::Result
                  : Door.Argument == NameUse::Member ? SlotKind::Member
                                                     : SlotKind::Param;
  auto It = std::ranges::find_if(Uses, [&](const UntypedUse &Use) {
    return Use.Function == Door.Name && Use.Kind == Slot &&
           (Slot != SlotKind::Param || Use.Param == Door.Argument);
  });
  return It == Uses.end() ? nullptr : &*It;
}

/// Shared: a way through a function that many records go through counts too.
std::optional<SourceRule> throughDoors(const std::vector<UntypedUse> &Uses,
                                       std::span<const NameUse> Doors,
                                       RuleStrength Strength, bool Shared) {
  for (const NameUse &Door : Doors)
    if (const UntypedUse *Use = throughDoor(Uses, Door);
        Use && Shared >= Use->Shared)
      return whole("bytes",
                   "its bytes go to or come from " +
                       std::string(meaningOf(Door.Kind)) + " by " +
                       Use->Function +
                       (Use->Kind == SlotKind::Member ? "" : "()"),
                   Use->Where, Strength);
  return std::nullopt;
}

/// Why a C++ class is not laid out as C does it; null if it is.
const char *notAsInC(uint32_t Flags) {
  if (Flags & RecHasBase)
    return "not a C layout: has a base class";
  if (Flags & RecHasVtable)
    return "not a C layout: has virtual functions";
  if (Flags & RecNotStandard)
    return "not a C layout: no standard layout (mixed access, or a member "
           "that has none)";
  if (Flags & RecTemplate)
    return "a class template makes it, and others that would change too";
  return nullptr;
}

} // namespace

std::optional<SourceRule>
formatRule(const Program &Whole, const PointerGraph &Pointers, RecordId Id) {
  RecordInfo Record = Whole.recordInfo(Id);
  Site Definition{"", Record.File, Record.Line};
  if (isA(NameKind::UserHeader, Record.File)) {
    SourceRule Rule = whole(
        "uapi", "defined in a header for user space, which sees this layout",
        Definition);
    Rule.Unliftable = "programs are compiled with this order";
    return Rule;
  }
  if (Record.Packed)
    return whole("packed", "packed: likely a format on the wire or of hardware",
                 Definition);
  if (const char *Why = notAsInC(Whole.recordFact(Id).Flags)) {
    SourceRule Rule = whole("c++", Why, Definition);
    Rule.Unliftable = "only records that are laid out as in C are reordered";
    return Rule;
  }
  Numbers Of(Whole, Id);
  if (Of.Fixed && !Of.Native && !Of.Pointers)
    return whole("byte-order",
                 "its numbers have a fixed byte order: a format on the wire or "
                 "of hardware",
                 Definition);
  std::vector<UntypedUse> Uses = Pointers.untypedUses(Id);
  if (auto Rule =
          throughDoors(Uses, usesOf(NameKind::ToUserSpace, NameKind::ToDevice),
                       RuleStrength::Hard,
                       /*Shared=*/false))
    return Rule;
  if (Of.Fixed > Of.Native && !Of.Pointers)
    return whole(
        "byte-order",
        "most of its numbers have a fixed byte order: perhaps a format "
        "on the wire or of hardware",
        Definition, RuleStrength::Soft);
  if (RecordId Union = sharedWithNumbers(Whole, Id); Union != None)
    return whole("bytes", "shares a union with numbers that cover its members",
                 {"", Whole.recordText(Union, Whole.recordFact(Union).File),
                  Whole.recordFact(Union).Line},
                 RuleStrength::Soft);
  return throughDoors(Uses,
                      usesOf(NameKind::ProgramFile, NameKind::ProgramShared),
                      RuleStrength::Soft, /*Shared=*/true);
}

} // namespace kst
