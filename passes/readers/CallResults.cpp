// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/CallResults.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/ResultRegisters.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFLocationExpression.h"

#include <algorithm>

namespace kst {
namespace {

bool isArrayWithoutLength(DWARFDie Type) {
  if (!Type || Type.getTag() != dwarf::DW_TAG_array_type)
    return false;
  for (DWARFDie Range : Type.children())
    if (Range.getTag() == dwarf::DW_TAG_subrange_type)
      return !Range.find(dwarf::DW_AT_upper_bound) &&
             number(Range, dwarf::DW_AT_count) == 0;
  return false;
}

/// The struct or union that a type points to.
std::optional<ResultType> pointedTo(DWARFDie Type) {
  DWARFDie Pointer = bareType(Type);
  if (!Pointer || Pointer.getTag() != dwarf::DW_TAG_pointer_type)
    return std::nullopt;
  ResultType Out;
  DWARFDie Record = bareType(typeOf(Pointer), &Out.Name);
  if (!Record || !isRecord(Record))
    return std::nullopt;
  if (const char *Tag = Record.getShortName())
    Out.Name = Tag;
  Out.SizeBytes = number(Record, dwarf::DW_AT_byte_size);
  DWARFDie Last;
  for (DWARFDie Member : Record.children())
    if (Member.getTag() == dwarf::DW_TAG_member)
      Last = Member;
  Out.Flexible = Last && isArrayWithoutLength(bareType(typeOf(Last)));
  if (Out.Name.empty() || !Out.SizeBytes)
    return std::nullopt;
  return Out;
}

/// What a variable is: its own words or those of what it is an instance of.
DWARFDie declaredType(DWARFDie Die) {
  for (unsigned Depth = 0; Depth < MostDepth; ++Depth) {
    DWARFDie Other =
        Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    if (!Other)
      Other = Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification);
    if (!Other || Die.find(dwarf::DW_AT_type))
      break;
    Die = Other;
  }
  return typeOf(Die);
}

/// Whether the variable is where the result is, at some instruction.
bool isResult(DWARFDie Variable, llvm::ArrayRef<ResultPlace> Of) {
  if (!Variable.find(dwarf::DW_AT_location))
    return false;
  auto Places = Variable.getLocations(dwarf::DW_AT_location);
  if (!Places) {
    llvm::consumeError(Places.takeError());
    return false;
  }
  constexpr unsigned First = dwarf::DW_OP_reg0, Last = dwarf::DW_OP_reg31;
  for (const llvm::DWARFLocationExpression &In : *Places) {
    if (!In.Range || In.Expr.size() != 1 || In.Expr[0] < First ||
        In.Expr[0] > Last)
      continue;
    for (const ResultPlace &At : Of)
      if (In.Range->LowPC <= At.Address && At.Address < In.Range->HighPC &&
          At.Registers.count(In.Expr[0] - First))
        return true;
  }
  return false;
}

class Results {
public:
  std::vector<ResultType> Out;

  void variables(DWARFDie Scope, llvm::ArrayRef<ResultPlace> Of,
                 unsigned Depth = 0) {
    if (Depth > MostScopes)
      return;
    for (DWARFDie Die : Scope.children())
      switch (Die.getTag()) {
      case dwarf::DW_TAG_variable:
      case dwarf::DW_TAG_formal_parameter:
        if (auto To = pointedTo(declaredType(Die));
            To && !llvm::is_contained(Out, *To) && isResult(Die, Of))
          Out.push_back(std::move(*To));
        break;
      case dwarf::DW_TAG_lexical_block:
      case dwarf::DW_TAG_inlined_subroutine:
        variables(Die, Of, Depth + 1);
        break;
      default:
        break;
      }
  }

private:
  static constexpr unsigned MostScopes = 64;
};

} // namespace

std::vector<ResultType> resultTypes(llvm::DWARFContext &Debug,
                                    uint64_t ReturnAddress,
                                    llvm::ArrayRef<uint8_t> Code) {
  // The call is in the function, where it returns to need not be. The last
  // frame is the function that is not inlined.
  const uint64_t Call = ReturnAddress - 1;
  auto *Unit = Debug.getDIEsForAddress(Call).CompileUnit;
  llvm::SmallVector<DWARFDie, 4> Frames;
  if (Unit)
    Unit->getInlinedChainForAddress(Call, Frames);
  if (Frames.empty())
    return {};
  Results Of;
  Of.variables(Frames.back(), resultRegisters(ReturnAddress, Code));
  return std::move(Of.Out);
}

} // namespace kst
