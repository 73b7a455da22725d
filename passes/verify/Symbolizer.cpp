// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/Symbolizer.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace kst {

Symbolizer::Symbolizer(const ElfObject &Object) : Object(Object) {
  for (const ElfSymbol &Symbol : Object.Symbols)
    if (Symbol.Section != NoSection && !Symbol.IsSection && !Symbol.IsFile &&
        !Symbol.Name.empty())
      BySection.push_back(&Symbol);
  // Last of equals is what find() returns: functions behind labels, the first
  // of the table behind later ones.
  std::ranges::sort(BySection, [](const ElfSymbol *A, const ElfSymbol *B) {
    return std::tuple(A->Section, A->Value, A->Function, B) <
           std::tuple(B->Section, B->Value, B->Function, A);
  });
}

Symbolizer::Place Symbolizer::find(uint32_t Section, uint64_t Value) const {
  auto Behind = std::partition_point(
      BySection.begin(), BySection.end(), [&](const ElfSymbol *Symbol) {
        return std::pair(Symbol->Section, Symbol->Value) <=
               std::pair(Section, Value);
      });
  if (Behind == BySection.begin() || (*std::prev(Behind))->Section != Section)
    return {nullptr, Value - Object.Sections[Section].Address};
  const ElfSymbol *Symbol = *std::prev(Behind);
  return {Symbol, Value - Symbol->Value};
}

std::string Symbolizer::spell(uint32_t Section, uint64_t Value) const {
  Place At = find(Section, Value);
  llvm::StringRef Base =
      At.Symbol ? At.Symbol->Name : Object.Sections[Section].Name;
  return (Base + "+0x" + llvm::utohexstr(At.Offset, /*LowerCase=*/true)).str();
}

} // namespace kst
