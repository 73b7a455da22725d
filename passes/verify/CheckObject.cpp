// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/CheckObject.h"

#include "passes/abi/kst_abi.h"
#include "passes/verify/Symbolizer.h"

#include "llvm/Support/Endian.h"

#include <map>

namespace kst {

using llvm::StringRef;

namespace {

/// Where code that stands in for other code will run.
struct Origin {
  uint32_t Section;
  uint64_t Offset;
};

class Checker {
public:
  Checker(const ElfObject &Object, StringRef Name)
      : Object(Object), Name(Name), Symbols(Object) {
    for (const ElfSymbol &Symbol : Object.Symbols)
      if (Symbol.Section != NoSection && symbolReference(Symbol.Name))
        HasOurs.insert(Symbol.Section);
  }

  /// What the relocation refers to, if that is ours. Local symbols are
  /// usually referred to as section + addend.
  std::optional<Reference> target(const ElfRelocation &Relocation) const {
    if (!Relocation.Symbol)
      return std::nullopt;
    const ElfSymbol &Symbol = Object.Symbols[Relocation.Symbol];
    if (Symbol.Section != NoSection)
      if (auto What = sectionReference(Object.Sections[Symbol.Section].Name))
        return What;
    if (!Symbol.IsSection)
      return symbolReference(Symbol.Name);
    // Sections that a linker script has merged hold ours among others.
    if (!HasOurs.count(Symbol.Section))
      return std::nullopt;
    auto At = Symbols.find(Symbol.Section, place(Relocation));
    return At.Symbol ? symbolReference(At.Symbol->Name) : std::nullopt;
  }

  std::string spellTarget(const ElfRelocation &Relocation) const {
    const ElfSymbol &Symbol = Object.Symbols[Relocation.Symbol];
    if (!Symbol.IsSection)
      return Symbol.Name.str();
    return Symbols.spell(Symbol.Section, place(Relocation));
  }

  Finding finding(const ElfRelocation &Relocation, Reference What,
                  StringRef Rule) const {
    Finding F;
    F.Object = Name.str();
    F.Section = Object.Sections[Relocation.Section].Name.str();
    auto At = Symbols.find(Relocation.Section, Relocation.Offset);
    F.Function = At.Symbol ? At.Symbol->Name.str() : "";
    F.Offset = At.Offset;
    F.What = What;
    F.Target = spellTarget(Relocation);
    F.Rule = Rule.str();
    return F;
  }

  ObjectResult kernelObject() {
    findReplacements();
    ObjectResult Result;
    for (const ElfRelocation &Relocation : Object.Relocations) {
      const ElfSection &From = Object.Sections[Relocation.Section];
      if (!From.Code)
        continue;
      auto What = target(Relocation);
      if (!What)
        continue;
      Origin At = origin(Relocation);
      if (auto Why = forbiddenSection(Object.Sections[At.Section].Name)) {
        Result.Findings.push_back(finding(Relocation, *What, *Why));
      } else if (*What == Reference::Counter || calls(Relocation)) {
        ++Result.CountedReferences;
        auto In = Symbols.find(At.Section, At.Offset);
        Result.CountedFunctions.insert(
            In.Symbol ? In.Symbol->Name.str()
                      : Object.Sections[At.Section].Name.str());
      } else {
        ++Result.RuntimeReferences;
      }
    }
    return Result;
  }

  ObjectResult forbiddenObject(StringRef Rule) {
    ObjectResult Result;
    for (const ElfRelocation &Relocation : Object.Relocations)
      if (auto What = target(Relocation))
        Result.Findings.push_back(finding(Relocation, *What, Rule));
    for (const ElfSection &Section : Object.Sections)
      if (auto What = ownSection(Section))
        Result.Findings.push_back(whole(Section.Name, *What, Rule));
    // Symbols that no relocation of this file named.
    std::set<std::string> Seen;
    for (const Finding &F : Result.Findings)
      Seen.insert(F.Target);
    for (const ElfSymbol &Symbol : Object.Symbols)
      if (auto What = symbolReference(Symbol.Name))
        if (Seen.insert(Symbol.Name.str()).second)
          Result.Findings.push_back(whole(Symbol.Name, *What, Rule));
    return Result;
  }

private:
  /// Offset in the target's section, from a relocation against a section. A
  /// PC-relative field is measured from the end of the instruction: behind
  /// the field itself and an immediate, if there is one.
  uint64_t place(const ElfRelocation &Relocation) const {
    uint64_t Value = Object.Symbols[Relocation.Symbol].Value;
    uint64_t After = Relocation.PcRelative ? 4 + immediateBytes(Relocation) : 0;
    return Value + Relocation.Addend + After;
  }

  /// By the opcode, which with an address of the form sym(%rip) stands right
  /// before the ModRM byte and the field. Two-byte opcodes that counting could
  /// use have no immediate.
  unsigned immediateBytes(const ElfRelocation &Relocation) const {
    StringRef Code = Object.Sections[Relocation.Section].Content;
    if (Relocation.Offset < 2 || Relocation.Offset > Code.size())
      return 0;
    switch (static_cast<unsigned char>(Code[Relocation.Offset - 2])) {
    case 0x6b: // imul
    case 0x80: // add, or, and, sub, xor, cmp of a byte
    case 0x83: // the same with a sign-extended byte
    case 0xc0: // shifts
    case 0xc1:
    case 0xc6: // mov of a byte
      return 1;
    case 0x69:
    case 0x81:
    case 0xc7:
      return 4;
    default:
      return 0;
    }
  }

  bool calls(const ElfRelocation &Relocation) const {
    return Object.Symbols[Relocation.Symbol].Name == TraceFunction;
  }

  /// A section of ours, or a table that says something was counted.
  static std::optional<Reference> ownSection(const ElfSection &Section) {
    if (auto What = sectionReference(Section.Name))
      return What;
    if (Section.Name == KST_TABLE_SECTION &&
        Section.Content.starts_with(KST_TABLE_MAGIC) &&
        Section.Content.size() >= sizeof(kst_table) &&
        llvm::support::endian::read32le(Section.Content.data() +
                                        offsetof(kst_table, counters)))
      return Reference::Table;
    return std::nullopt;
  }

  Finding whole(StringRef Target, Reference What, StringRef Rule) const {
    Finding F;
    F.Object = Name.str();
    F.What = What;
    F.Target = Target.str();
    F.Rule = Rule.str();
    return F;
  }

  /// .altinstructions: each entry begins with two 32-bit differences, to the
  /// instruction and to its replacement; entries have grown over the years,
  /// but never changed there. arch/x86/include/asm/alternative.h.
  void findReplacements() {
    const ElfRelocation *Last = nullptr;
    for (const ElfRelocation &Relocation : Object.Relocations) {
      if (Object.Sections[Relocation.Section].Name != ".altinstructions")
        continue;
      if (!Last || Last->Section != Relocation.Section ||
          Relocation.Offset != Last->Offset + 4) {
        Last = &Relocation;
        continue;
      }
      if (auto To = point(Relocation), From = point(*Last); To && From)
        Replacements[{To->Section, To->Offset}] = *From;
      Last = nullptr;
    }
  }

  std::optional<Origin> point(const ElfRelocation &Relocation) const {
    const ElfSymbol &Symbol = Object.Symbols[Relocation.Symbol];
    if (Symbol.Section == NoSection)
      return std::nullopt;
    return Origin{Symbol.Section, Symbol.Value + Relocation.Addend};
  }

  /// Where the code of a relocation runs: replacements run where they are
  /// copied to.
  Origin origin(const ElfRelocation &Relocation) const {
    Origin Own{Relocation.Section, Relocation.Offset};
    if (Object.Sections[Own.Section].Name != ".altinstr_replacement")
      return Own;
    auto Behind = Replacements.upper_bound({Own.Section, Own.Offset});
    if (Behind == Replacements.begin() ||
        std::prev(Behind)->first.first != Own.Section)
      return Own;
    return std::prev(Behind)->second;
  }

  const ElfObject &Object;
  StringRef Name;
  Symbolizer Symbols;
  std::set<uint32_t> HasOurs; ///< sections with symbols of ours in them
  std::map<std::pair<uint32_t, uint64_t>, Origin> Replacements;
};

} // namespace

ObjectResult checkKernelObject(const ElfObject &Object, StringRef Name) {
  return Checker(Object, Name).kernelObject();
}

ObjectResult checkForbiddenObject(const ElfObject &Object, StringRef Name,
                                  StringRef Rule) {
  return Checker(Object, Name).forbiddenObject(Rule);
}

} // namespace kst
