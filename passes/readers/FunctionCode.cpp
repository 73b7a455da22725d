// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/FunctionCode.h"

#include "passes/readers/DebugDies.h"
#include "passes/readers/DebugInfo.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace kst {
namespace {

using llvm::StringRef;
using LineTable = llvm::DWARFDebugLine::LineTable;

constexpr uint32_t NoNumber = ~0u;
/// Code within code is followed so far.
constexpr unsigned MostNesting = 200;

/// Code of a copy with all that is inlined into it.
struct Piece {
  uint64_t Begin, End;
  uint32_t Copy, Depth;
};

/// Instructions of one line.
struct Row {
  uint64_t Begin, End;
  uint32_t Line, File; ///< number of the file's name
};

class CodeWalk {
public:
  explicit CodeWalk(const CodeQuestion &Asked) : Asked(Asked) {}

  /// `Top`: of the unit, or of its other part if it is split.
  void unit(llvm::DWARFUnit &Unit, DWARFDie Top) {
    Lines = Unit.getContext().getLineTableForUnit(&Unit);
    Folder = Unit.getCompilationDir();
    FileNumbers.clear();
    Origins.clear();
    Pieces.clear();
    visit(Top, NoNumber, 0);
    join(innermost(), rows());
  }

  FunctionCode Out;

private:
  //===------------------------------------------------------------------===//
  // Functions and their copies
  //===------------------------------------------------------------------===//

  void visit(DWARFDie Die, uint32_t Around, unsigned Depth) {
    if (Depth == MostNesting)
      return;
    for (DWARFDie Child : Die.children())
      switch (Child.getTag()) {
      case dwarf::DW_TAG_subprogram:
        visit(Child, copy(Child, NoNumber, Depth), Depth + 1);
        break;
      case dwarf::DW_TAG_inlined_subroutine:
        visit(Child, copy(Child, Around, Depth), Depth + 1);
        break;
      case dwarf::DW_TAG_lexical_block:
      case dwarf::DW_TAG_namespace:
        visit(Child, Around, Depth + 1);
        break;
      default:
        break;
      }
  }

  /// The number of the copy; NoNumber if the entry only describes a function.
  uint32_t copy(DWARFDie Die, uint32_t Around, unsigned Depth) {
    auto Ranges = Die.getAddressRanges();
    if (!Ranges) {
      llvm::consumeError(Ranges.takeError());
      return NoNumber;
    }
    llvm::erase_if(*Ranges, [&](const llvm::DWARFAddressRange &R) {
      return R.LowPC >= R.HighPC || !Asked.IsCode(R.LowPC);
    });
    auto Entry = entryOf(Die, *Ranges);
    if (!Entry || !Asked.IsCode(*Entry))
      return NoNumber;
    const uint32_t Function = functionOf(Die);
    if (Function == NoNumber)
      return NoNumber;
    const auto Number = static_cast<uint32_t>(Out.Copies.size());
    for (const llvm::DWARFAddressRange &R : *Ranges)
      Pieces.push_back({R.LowPC, R.HighPC, Number, Depth});
    const bool Whole = Around == NoNumber
                           ? !StringRef(Asked.NameAt(*Entry)).contains(".part.")
                           : Out.Copies[Around].Function != Function;
    Out.Copies.push_back({Function, *Entry, Whole});
    return Number;
  }

  std::optional<uint64_t>
  entryOf(DWARFDie Die, const llvm::DWARFAddressRangesVector &Ranges) const {
    if (auto Value = Die.find(dwarf::DW_AT_entry_pc)) {
      if (auto Address = Value->getAsAddress())
        return Address;
      auto Low = dwarf::toAddress(Die.find(dwarf::DW_AT_low_pc));
      if (auto Offset = Value->getAsUnsignedConstant();
          Offset && (Low || !Ranges.empty()))
        return (Low ? *Low : Ranges.front().LowPC) + *Offset;
    }
    // The part that seldom runs is nowhere entered.
    for (const llvm::DWARFAddressRange &R : Ranges)
      if (Ranges.size() == 1 ||
          !StringRef(Asked.NameAt(R.LowPC)).contains(".cold"))
        return R.LowPC;
    return std::nullopt;
  }

  /// NoNumber: it has no name.
  uint32_t functionOf(DWARFDie Die) {
    for (unsigned Depth = 0; Depth < MostDepth; ++Depth) {
      DWARFDie Of =
          Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
      if (!Of)
        break;
      Die = Of;
    }
    auto [At, New] = Origins.try_emplace(Die.getDebugInfoEntry(), NoNumber);
    if (!New)
      return At->second;
    const char *Name = Die.getShortName();
    if (!Name)
      return NoNumber;
    // A declaration may have what a definition leaves out.
    const auto Line = static_cast<uint32_t>(
        dwarf::toUnsigned(Die.findRecursively({dwarf::DW_AT_decl_line}), 0));
    const DWARFDie Filed = having(Die, dwarf::DW_AT_decl_file);
    const uint32_t File = !Filed ? unitFile(Die)
                          : linesFor(Filed) == Lines
                              ? fileOf(number(Filed, dwarf::DW_AT_decl_file))
                              : fileNamed(declaringFile(Filed));
    auto [Known, Fresh] = Functions.try_emplace(
        {Name, File, Line}, static_cast<uint32_t>(Out.Functions.size()));
    if (Fresh) {
      Out.Functions.push_back({Name, FileNames[File]->first, Line});
      FunctionFiles.push_back(File);
    }
    return At->second = Known->second;
  }

  //===------------------------------------------------------------------===//
  // Files
  //===------------------------------------------------------------------===//

  uint32_t fileNamed(StringRef Name) {
    Name.consume_front(Asked.Top);
    auto [At, New] =
        Files.try_emplace(Name.str(), static_cast<uint32_t>(FileNames.size()));
    if (New)
      FileNames.push_back(&*At);
    return At->second;
  }

  /// By its number in the unit's table of lines.
  uint32_t fileOf(uint64_t Number) {
    auto [At, New] = FileNumbers.try_emplace(Number, 0);
    if (!New)
      return At->second;
    std::string Name;
    if (Lines)
      Lines->getFileNameByIndex(
          Number, Folder ? Folder : "",
          llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, Name);
    return FileNumbers[Number] = fileNamed(Name);
  }

  /// Of assembly, which declares nothing.
  uint32_t unitFile(DWARFDie Die) {
    const char *Name = Die.getDwarfUnit()->getUnitDIE().getShortName();
    return fileNamed(Name ? Name : "");
  }

  //===------------------------------------------------------------------===//
  // Addresses
  //===------------------------------------------------------------------===//

  /// Which copy each address is of, by address.
  std::vector<Piece> innermost() const {
    struct Edge {
      uint64_t Address;
      bool Begins;
      const Piece *Of;
    };
    std::vector<Edge> Edges;
    for (const Piece &P : Pieces) {
      Edges.push_back({P.Begin, true, &P});
      Edges.push_back({P.End, false, &P});
    }
    std::ranges::sort(Edges, {}, &Edge::Address);
    auto Key = [](const Piece *P) {
      return std::tuple(P->Depth, P->Copy, P->Begin);
    };
    std::set<std::tuple<uint32_t, uint32_t, uint64_t>> Here;
    std::vector<Piece> Flat;
    uint64_t From = 0;
    for (const Edge &E : Edges) {
      if (!Here.empty() && From < E.Address) {
        auto [Depth, Copy, Begin] = *Here.rbegin();
        Flat.push_back({From, E.Address, Copy, Depth});
      }
      From = E.Address;
      if (E.Begins)
        Here.insert(Key(E.Of));
      else
        Here.erase(Key(E.Of));
    }
    return Flat;
  }

  std::vector<Row> rows() {
    std::vector<Row> Found;
    if (!Lines)
      return Found;
    for (size_t I = 0; I + 1 < Lines->Rows.size(); ++I) {
      const auto &At = Lines->Rows[I], &Next = Lines->Rows[I + 1];
      if (At.EndSequence || !At.Line ||
          At.Address.Address >= Next.Address.Address)
        continue;
      Found.push_back(
          {At.Address.Address, Next.Address.Address, At.Line, fileOf(At.File)});
    }
    std::ranges::sort(Found, {}, &Row::Begin);
    return Found;
  }

  void join(const std::vector<Piece> &Copies, const std::vector<Row> &Rows) {
    auto Row = Rows.begin();
    for (const Piece &Of : Copies) {
      while (Row != Rows.end() && Row->End <= Of.Begin)
        ++Row;
      const uint32_t Function = Out.Copies[Of.Copy].Function;
      for (auto At = Row; At != Rows.end() && At->Begin < Of.End; ++At)
        if (At->File == FunctionFiles[Function] && Out.Functions[Function].Line)
          add({std::max(At->Begin, Of.Begin), std::min(At->End, Of.End),
               Of.Copy, At->Line});
    }
  }

  void add(CodeStretch S) {
    if (S.Begin >= S.End)
      return;
    if (!Out.Stretches.empty()) {
      CodeStretch &Last = Out.Stretches.back();
      if (Last.End == S.Begin && Last.Copy == S.Copy && Last.Line == S.Line) {
        Last.End = S.End;
        return;
      }
    }
    Out.Stretches.push_back(S);
  }

  const CodeQuestion &Asked;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, uint32_t> Functions;
  std::vector<uint32_t> FunctionFiles; ///< by function
  std::unordered_map<std::string, uint32_t> Files;
  std::vector<const std::pair<const std::string, uint32_t> *> FileNames;
  // Of the unit.
  const LineTable *Lines = nullptr;
  const char *Folder = nullptr;
  std::unordered_map<uint64_t, uint32_t> FileNumbers;
  std::unordered_map<const llvm::DWARFDebugInfoEntry *, uint32_t> Origins;
  std::vector<Piece> Pieces;
};

} // namespace

FunctionCode functionCode(const DebugInfo &Debug, const CodeQuestion &Asked) {
  CodeWalk Over(Asked);
  for (const auto &Unit : Debug.context().compile_units())
    if (const DWARFDie Top = Debug.topOf(*Unit))
      Over.unit(*Unit, Top);
  return std::move(Over.Out);
}

} // namespace kst
