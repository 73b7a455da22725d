// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DebugFacts.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugInfo.h"
#include "passes/readers/DebugMembers.h"

#include <algorithm>

namespace kst {

namespace {

DebugStruct structOf(DWARFDie Record) {
  DebugStruct Out;
  Out.SizeBytes = number(Record, dwarf::DW_AT_byte_size);
  Out.Members = membersOf(Record);
  for (DWARFDie Member : Record.children())
    if (Member.getTag() == dwarf::DW_TAG_member)
      Out.Elements.push_back(
          {static_cast<uint32_t>(offsetBits(Member) / 8),
           static_cast<uint32_t>((sizeBits(Member) + 7) / 8)});
  return Out;
}

class Walk {
public:
  explicit Walk(DebugQuestion From) : Asked(std::move(From)) {
    for (const auto &[Name, Of] : Asked.Beginnings)
      Sizes.insert(Of.begin(), Of.end());
  }
  DebugFacts Out;

  bool done() const {
    return Asked.Structs.empty() && Asked.Enumerators.empty() &&
           Asked.Functions.empty() && !Asked.Variables &&
           Asked.Beginnings.empty();
  }
  void unit(DWARFDie Top) {
    for (DWARFDie Die : Top.children()) {
      if (isRecord(Die))
        record(Die, Die.getShortName());
      else if (Die.getTag() == dwarf::DW_TAG_typedef)
        alias(Die);
      else if (Die.getTag() == dwarf::DW_TAG_enumeration_type)
        enumerators(Die);
      else if (Die.getTag() == dwarf::DW_TAG_subprogram)
        function(Die);
      else if (Die.getTag() == dwarf::DW_TAG_variable && Asked.Variables)
        variable(Die);
    }
  }

private:
  void record(DWARFDie Die, const char *Name) {
    if (!Name || isElsewhere(Die))
      return;
    const bool Begins = beginning(Die, Name);
    if (!Asked.Structs.erase(Name) && !Begins)
      return;
    auto [At, New] = Out.Structs.try_emplace(Name);
    if (!New)
      return;
    At->second = structOf(Die);
  }

  /// Whether it is of a size and begins with a struct that are asked for.
  bool beginning(DWARFDie Die, const char *Name) {
    const uint64_t Size = number(Die, dwarf::DW_AT_byte_size);
    if (!Sizes.count(Size))
      return false;
    bool Found = false;
    DWARFDie Inner = Die;
    for (unsigned Depth = 0; Depth < MostDepth; ++Depth) {
      DWARFDie First;
      for (DWARFDie Member : Inner.children())
        if (Member.getTag() == dwarf::DW_TAG_member) {
          First = Member;
          break;
        }
      Inner =
          First && !offsetBits(First) ? bareType(typeOf(First)) : DWARFDie();
      if (!Inner || !isRecord(Inner))
        break;
      const char *Tag = Inner.getShortName();
      auto Wanted = Asked.Beginnings.find(Tag ? Tag : "");
      if (Wanted == Asked.Beginnings.end() || !Wanted->second.count(Size))
        continue;
      Out.Beginning[{Tag, Size}].insert(Name);
      Found = true;
    }
    return Found;
  }

  void alias(DWARFDie Die) {
    const char *Name = Die.getShortName();
    if (!Name || !Asked.Structs.count(Name))
      return;
    DWARFDie Type = typeOf(Die);
    if (Type && isRecord(Type) && !Type.getShortName())
      record(Type, Name);
  }

  void enumerators(DWARFDie Die) {
    if (Asked.Enumerators.empty())
      return;
    for (DWARFDie Of : Die.children()) {
      const char *Name = Of.getShortName();
      if (Name && Asked.Enumerators.erase(Name))
        Out.Enumerators[Name] = number(Of, dwarf::DW_AT_const_value);
    }
  }

  void function(DWARFDie Die) {
    const char *Name = Asked.Functions.empty() ? nullptr : Die.getShortName();
    if (!Name || isElsewhere(Die) || !Asked.Functions.erase(Name))
      return;
    std::vector<std::string> &To = Out.Parameters[Name];
    for (DWARFDie Of : Die.children())
      if (Of.getTag() == dwarf::DW_TAG_formal_parameter)
        To.push_back(Of.getShortName() ? Of.getShortName() : "");
  }

  void variable(DWARFDie Die) {
    const std::optional<uint64_t> Address = staticAddress(Die);
    if (!Address)
      return;
    DebugVariable V;
    V.Address = *Address;
    DWARFDie Named = Die;
    if (DWARFDie Declared =
            Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification))
      Named = Declared;
    if (const char *Name = Named.getShortName())
      V.Name = Name;
    DWARFDie Type = bareType(typeOf(Named), &V.Struct);
    while (Type && Type.getTag() == dwarf::DW_TAG_array_type) {
      for (DWARFDie Range : Type.children())
        V.Number *= Range.find(dwarf::DW_AT_count)
                        ? number(Range, dwarf::DW_AT_count)
                        : number(Range, dwarf::DW_AT_upper_bound) + 1;
      Type = bareType(typeOf(Type), &V.Struct);
    }
    if (!Type || !isRecord(Type))
      return;
    if (const char *Tag = Type.getShortName())
      V.Struct = Tag;
    V.SizeBytes = number(Type, dwarf::DW_AT_byte_size);
    if (auto [At, New] = Out.Structs.try_emplace(V.Struct); New)
      At->second = structOf(Type);
    if (!V.Struct.empty() && V.SizeBytes && V.Number)
      Out.Variables.push_back(std::move(V));
  }

  DebugQuestion Asked;
  std::set<uint64_t> Sizes; ///< of Asked.Beginnings
};

} // namespace

llvm::Expected<DebugFacts> debugFacts(const std::string &File,
                                      DebugQuestion Asked) {
  auto Debug = DebugInfo::open(File);
  if (!Debug)
    return Debug.takeError();
  Walk Over(std::move(Asked));
  Debug->forEachUnit([&](DWARFDie Top) {
    Over.unit(Top);
    return !Over.done();
  });
  DebugFacts Out = std::move(Over.Out);
  Out.Problem = Debug->problem();
  auto &V = Out.Variables;
  std::stable_sort(V.begin(), V.end(),
                   [](const DebugVariable &A, const DebugVariable &B) {
                     return A.Address < B.Address;
                   });
  V.erase(std::unique(V.begin(), V.end(),
                      [](const DebugVariable &A, const DebugVariable &B) {
                        return A.Address == B.Address;
                      }),
          V.end());
  return Out;
}

} // namespace kst
