// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/CheckImage.h"

#include "passes/verify/Symbolizer.h"
#include "passes/verify/X86Code.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <algorithm>

namespace kst {

using llvm::StringRef;

namespace {

struct Span {
  uint64_t Begin, End; ///< addresses, the second behind the last
};

struct RuleSpan : Span {
  StringRef Rule;
};

struct TargetSpan : Span {
  Reference What;
  const ElfSymbol *Symbol;
};

/// The last span that begins at or before Address, if Address is in it.
template <class T>
const T *find(const std::vector<T> &Spans, uint64_t Address) {
  auto Behind =
      std::partition_point(Spans.begin(), Spans.end(),
                           [&](const T &S) { return S.Begin <= Address; });
  if (Behind == Spans.begin() || Address >= std::prev(Behind)->End)
    return nullptr;
  return &*std::prev(Behind);
}

template <class T> void sort(std::vector<T> &Spans) {
  std::ranges::stable_sort(
      Spans, [](const T &A, const T &B) { return A.Begin < B.Begin; });
}

/// Forbidden code, by the symbols of include/asm-generic/vmlinux.lds.h and
/// arch/x86/kernel/vmlinux.lds.S.
std::vector<RuleSpan> forbiddenCode(const ElfObject &Object) {
  static constexpr std::tuple<StringRef, StringRef, StringRef> Rules[] = {
      {"noinstr", "__noinstr_text_start", "__noinstr_text_end"},
      {"entry", "__entry_text_start", "__entry_text_end"},
      {"cpuidle", "__cpuidle_text_start", "__cpuidle_text_end"},
      {"thunk", "__indirect_thunk_start", "__indirect_thunk_end"},
  };
  auto Value = [&](StringRef Name) -> const ElfSymbol * {
    for (const ElfSymbol &Symbol : Object.Symbols)
      if (Symbol.Name == Name)
        return &Symbol;
    return nullptr;
  };
  std::vector<RuleSpan> Found;
  for (const auto &[Rule, First, Last] : Rules) {
    const ElfSymbol *Begin = Value(First), *End = Value(Last);
    if (Begin && End && Begin->Value < End->Value)
      Found.push_back({{Begin->Value, End->Value}, Rule});
  }
  sort(Found);
  return Found;
}

/// Without the ends of sections: what lies there belongs to others.
std::vector<TargetSpan> targets(const ElfObject &Object) {
  std::vector<TargetSpan> Found;
  for (const ElfSymbol &Symbol : Object.Symbols) {
    auto What = symbolReference(Symbol.Name);
    if (What && Symbol.SizeBytes && Symbol.Section != NoSection)
      Found.push_back(
          {{Symbol.Value, Symbol.Value + Symbol.SizeBytes}, *What, &Symbol});
  }
  sort(Found);
  return Found;
}

} // namespace

llvm::Expected<ObjectResult> checkImage(const ElfObject &Object,
                                        StringRef Name) {
  auto Refuse = [](const llvm::Twine &Why) {
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        Why + "; give vmlinux.o of the same build (beside vmlinux), or the "
              "build directory with --tree");
  };
  if (Object.Machine != llvm::ELF::EM_X86_64)
    return Refuse("is linked and not for x86-64");
  if (Object.Symbols.empty())
    return Refuse("is linked and has no symbol table");
  if (std::ranges::none_of(Object.Symbols, [](const ElfSymbol &Symbol) {
        return Symbol.Name == "__noinstr_text_start";
      }))
    return Refuse("is linked and no kernel: it has no __noinstr_text_start");
  std::vector<RuleSpan> Rules = forbiddenCode(Object);
  auto Code = X86Code::create();
  if (!Code)
    return Code.takeError();

  Symbolizer Symbols(Object);
  std::vector<TargetSpan> Targets = targets(Object);
  ObjectResult Result;
  for (uint32_t I = 0; I != Object.Sections.size(); ++I) {
    const ElfSection &Section = Object.Sections[I];
    if (!Section.Code || Section.Name == ".altinstr_replacement")
      continue;
    auto Named = [&](uint64_t At, uint64_t Address) {
      const TargetSpan *Target = find(Targets, Address);
      if (!Target)
        return;
      auto From = Symbols.find(I, At);
      if (Target->Symbol == From.Symbol)
        return; // a jump within the runtime's own function
      std::string Function = From.Symbol ? From.Symbol->Name.str() : "";
      if (const RuleSpan *Rule = find(Rules, At)) {
        Finding F;
        F.Object = Name.str();
        F.Section = Section.Name.str();
        F.Function = Function;
        F.Offset = From.Offset;
        F.What = Target->What;
        F.Target = (Target->Symbol->Name + "+0x" +
                    llvm::utohexstr(Address - Target->Begin, true))
                       .str();
        F.Rule = Rule->Rule.str();
        Result.Findings.push_back(std::move(F));
      } else if (Target->What == Reference::Counter ||
                 Target->Symbol->Name == TraceFunction) {
        ++Result.CountedReferences;
        Result.CountedFunctions.insert(Function);
      } else {
        ++Result.RuntimeReferences;
      }
    };
    (*Code)->visit(Section.Content, Section.Address, Named);
  }
  return Result;
}

} // namespace kst
