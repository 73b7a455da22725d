// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DataUses.h"

#include "passes/decode/X86Decoder.h"
#include "passes/readers/ArgumentUses.h"
#include "passes/readers/KnownRegisters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace kst {
namespace {

struct Range {
  uint64_t Begin = 0, End = 0;
};

class Scanner {
public:
  /// Imports: by address of a stub that jumps there, or of a word that has its
  /// address; null: edges are not wanted.
  Scanner(const X86Decoder &Decoder, std::vector<Range> Data,
          ArgumentUses &Passed, const std::map<uint64_t, std::string> *Imports)
      : Decoder(Decoder), Data(std::move(Data)), Passed(Passed),
        Imports(Imports), Known(Decoder, KnownValues::Addresses),
        Rip(Decoder.registerOf("RIP")) {
    llvm::sort(this->Data, [](const Range &A, const Range &B) {
      return A.Begin < B.Begin;
    });
  }
  void code(ArrayRef<uint8_t> Bytes, uint64_t Address) {
    Known.clear();
    while (!Bytes.empty()) {
      if (Passed.isFunction(Address))
        Known.clear();
      MCInst Found;
      const uint64_t Decoded = Decoder.next(Bytes, Address, Found);
      const uint64_t Size = std::max<uint64_t>(1, Decoded);
      if (Decoded) {
        instruction(Found, Address, Address + Size);
        Known.step(Found, Address + Size);
      }
      Bytes = Bytes.drop_front(std::min<size_t>(Size, Bytes.size()));
      Address += Size;
    }
  }
  /// Pointers: tables of parameters and sysctls, lists, initial values.
  void words(ArrayRef<uint8_t> Bytes, uint64_t Address) {
    for (size_t At = (8 - Address % 8) % 8; At + 8 <= Bytes.size(); At += 8) {
      pointer(Address + At, support::endian::read64le(Bytes.data() + At));
    }
  }
  /// A word that gets the address when the file is loaded.
  void pointer(uint64_t At, uint64_t To) {
    DataUse Use;
    Use.Code = At;
    Use.Data = To;
    Use.Taken = Use.InData = true;
    add(Use);
  }
  ImageUses Out;

private:
  bool inData(uint64_t Address) const {
    auto After = llvm::upper_bound(
        Data, Address, [](uint64_t A, const Range &R) { return A < R.Begin; });
    return After != Data.begin() && Address < std::prev(After)->End;
  }
  void add(DataUse Use) {
    if (inData(Use.Data))
      Out.Data.push_back(Use);
    else if (Imports && Use.Taken && Passed.isFunction(Use.Data))
      Out.Edges.push_back({Use.Code, Use.Data, CodeEdge::Taken, {}});
  }
  /// A call or jump, direct or through a word that has the address of a symbol
  /// of another file.
  void edge(const MCInst &Of, const MCInstrDesc &What, uint64_t Address,
            uint64_t Next) {
    if (!Imports || !(What.isCall() || What.isBranch()))
      return;
    CodeEdge Edge;
    Edge.Code = Address;
    Edge.What = What.isCall() ? CodeEdge::Call : CodeEdge::Jump;
    auto To = directTarget(Decoder, Of, Next);
    if (const auto Memory = To ? std::nullopt : memoryOperand(Of, 0))
      To = Known.addressOf(*Memory, Next);
    if (!To)
      return;
    if (const auto At = Imports->find(*To); At != Imports->end())
      Edge.Import = At->second;
    else if (What.isCall() || *To < Address || Passed.isFunction(*To))
      Edge.To = *To;
    else
      return;
    Out.Edges.push_back(std::move(Edge));
  }
  /// What the function that is called does with addresses in its arguments.
  void call(const MCInst &Of, uint64_t Address, uint64_t Next) {
    const auto To = directTarget(Decoder, Of, Next);
    if (!To || !Passed.isFunction(*To))
      return;
    for (unsigned A = 0; A < Passed.registers().size(); ++A) {
      const auto At = Known.of(Passed.registers()[A]);
      if (!At || !inData(*At))
        continue;
      for (const ArgumentUse &Through : Passed.of(*To, A)) {
        DataUse Use;
        Use.Code = Address;
        Use.Data = *At + uint64_t(Through.OffsetBytes);
        Use.Load = Through.Load;
        Use.Store = Through.Store;
        Use.Indexed = Through.Indexed;
        add(Use);
      }
    }
  }
  void memory(const MCInst &Of, const MCInstrDesc &What, unsigned I,
              const MemoryOperand &Memory, uint64_t Address, uint64_t Next) {
    DataUse Use;
    Use.Code = Address;
    const auto Known = this->Known.addressOf(Memory, Next);
    const bool Through = Known && Memory.Base != Rip;
    // A register that is not known may add anything.
    Use.Data = Known.value_or(uint64_t(Memory.Displacement));
    Use.Indexed = Memory.Index || (Memory.Base && !Known);
    Use.Load = What.mayLoad();
    Use.Store = What.mayStore();
    Use.Taken = !Use.Load && !Use.Store;
    if (Use.Store && !Use.Load && I + 5 < Of.getNumOperands() &&
        Of.getOperand(I + 5).isImm())
      Use.Constant = Of.getOperand(I + 5).getImm();
    // Its caller may keep it in a register: call *%r14.
    if (Imports && Known && Use.Load && !What.isCall() && !What.isBranch())
      if (const auto At = Imports->find(*Known); At != Imports->end())
        Out.Edges.push_back({Address, 0, CodeEdge::Call, At->second});
    // An address that was known before is not named once more.
    if (!Memory.Segment && !(Through && Use.Taken))
      add(Use);
  }
  void instruction(const MCInst &Of, uint64_t Address, uint64_t Next) {
    const MCInstrDesc &What = Decoder.instructions().get(Of.getOpcode());
    const auto Operands = What.operands();
    for (unsigned I = 0; I < Of.getNumOperands() && I < Operands.size(); ++I) {
      if (const auto Memory = memoryOperand(Of, I)) {
        memory(Of, What, I, *Memory, Address, Next);
        I += 4;
      } else if (Of.getOperand(I).isImm() && !What.isBranch() &&
                 !What.isCall()) {
        DataUse Use;
        Use.Code = Address;
        Use.Data = uint64_t(Of.getOperand(I).getImm());
        Use.Taken = true;
        add(Use);
      }
    }
    edge(Of, What, Address, Next);
    call(Of, Address, Next);
  }

  const X86Decoder &Decoder;
  std::vector<Range> Data;
  ArgumentUses &Passed;
  const std::map<uint64_t, std::string> *Imports;
  KnownRegisters Known;
  unsigned Rip;
};

using Elf = object::ELFFile<object::ELF64LE>;

/// The section's bytes with its relocations applied, as far as they are against
/// what the file has itself: all else is at 0 and so in no section.
Error relocate(const Elf &Image, const Elf::Elf_Shdr &Relocations,
               const std::vector<uint64_t> &Sections, uint64_t Address,
               std::vector<uint8_t> &Bytes) {
  auto Table = Image.getSection(Relocations.sh_link);
  if (!Table)
    return Table.takeError();
  auto All = Image.relas(Relocations);
  if (!All)
    return All.takeError();
  for (const Elf::Elf_Rela &Of : *All) {
    auto Symbol = Image.getRelocationSymbol(Of, *Table);
    if (!Symbol)
      return Symbol.takeError();
    uint64_t Value = uint64_t(Of.r_addend);
    if (*Symbol && (*Symbol)->st_shndx < Sections.size() &&
        Sections[(*Symbol)->st_shndx])
      Value += Sections[(*Symbol)->st_shndx] + (*Symbol)->st_value;
    const uint64_t At = Of.r_offset;
    unsigned Size = 4;
    switch (Of.getType(false)) {
    case ELF::R_X86_64_64:
      Size = 8;
      break;
    case ELF::R_X86_64_PC32:
    case ELF::R_X86_64_PLT32:
      Value -= Address + At;
      break;
    case ELF::R_X86_64_32:
    case ELF::R_X86_64_32S:
      break;
    default:
      continue;
    }
    if (At > Bytes.size() || Bytes.size() - At < Size)
      continue;
    for (unsigned I = 0; I < Size; ++I)
      Bytes[At + I] = uint8_t(Value >> 8 * I);
  }
  return Error::success();
}

/// A section, as it lies in memory.
struct Loaded {
  uint64_t Address = 0, SizeBytes = 0;
  bool Alloc = false, Code = false;
  ArrayRef<uint8_t> Bytes; ///< empty: it has none in the file
};

/// `Storage` gets bytes that relocations changed.
Expected<std::vector<Loaded>>
loadedSections(const Elf &Image, const std::vector<uint64_t> &Places,
               std::vector<std::vector<uint8_t>> &Storage) {
  auto Sections = Image.sections();
  if (!Sections)
    return Sections.takeError();
  std::vector<Loaded> Out(Sections->size());
  Storage.resize(Sections->size());
  for (size_t Number = 0; Number < Sections->size(); ++Number) {
    const auto &S = (*Sections)[Number];
    Loaded &To = Out[Number];
    To.Address = Number < Places.size() ? Places[Number] : uint64_t(S.sh_addr);
    To.SizeBytes = S.sh_size;
    To.Alloc = S.sh_flags & ELF::SHF_ALLOC;
    To.Code = S.sh_flags & ELF::SHF_EXECINSTR;
    if (!To.Alloc || S.sh_type != ELF::SHT_PROGBITS ||
        (!To.Code && !To.Address))
      continue;
    auto Bytes = Image.getSectionContents(S);
    if (!Bytes)
      return Bytes.takeError();
    To.Bytes = *Bytes;
    if (Places.empty())
      continue;
    Storage[Number].assign(Bytes->begin(), Bytes->end());
    for (const auto &Other : *Sections)
      if (Other.sh_type == ELF::SHT_RELA && Other.sh_info == Number)
        if (Error E =
                relocate(Image, Other, Places, To.Address, Storage[Number]))
          return E;
    To.Bytes = Storage[Number];
  }
  return Out;
}

std::vector<FunctionBytes> functionsOf(const ObjectFile &Image,
                                       const std::vector<Loaded> &Sections) {
  std::vector<FunctionBytes> Out;
  for (const ObjectSymbol &Of : Image.Symbols) {
    if (!Of.Function || Of.Section >= Sections.size())
      continue;
    const Loaded &In = Sections[Of.Section];
    const uint64_t At = Of.Value - In.Address;
    if (In.Code && At < In.Bytes.size() && Of.SizeBytes)
      Out.push_back(
          {Of.Value, In.Bytes.drop_front(At).take_front(Of.SizeBytes)});
  }
  return Out;
}

/// What the loader fills in.
struct Bindings {
  std::map<uint64_t, std::string> Imports;             ///< as Scanner has them
  std::vector<std::pair<uint64_t, uint64_t>> Pointers; ///< word, address
};

Expected<Bindings> bindingsOf(const Elf &Image) {
  Bindings Out;
  auto Sections = Image.sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &S : *Sections) {
    if (S.sh_type != ELF::SHT_RELA || !(S.sh_flags & ELF::SHF_ALLOC))
      continue;
    auto All = Image.relas(S);
    if (!All)
      return All.takeError();
    auto Table = Image.getSection(S.sh_link);
    if (!Table)
      return Table.takeError();
    for (const Elf::Elf_Rela &Of : *All) {
      if (Of.getType(false) == ELF::R_X86_64_RELATIVE) {
        Out.Pointers.push_back({Of.r_offset, uint64_t(Of.r_addend)});
        continue;
      }
      if ((*Table)->sh_type != ELF::SHT_DYNSYM)
        continue;
      auto Symbol = Image.getRelocationSymbol(Of, *Table);
      if (!Symbol)
        return Symbol.takeError();
      auto Names = Image.getStringTableForSymtab(**Table);
      if (!Names)
        return Names.takeError();
      if (!*Symbol || (*Symbol)->st_shndx != ELF::SHN_UNDEF)
        continue;
      if (auto Name = (*Symbol)->getName(*Names))
        Out.Imports[Of.r_offset] = Name->str();
      else
        consumeError(Name.takeError());
    }
  }
  return Out;
}

/// Adds the stubs of a section that jump to imports: calls go there.
void addStubs(const X86Decoder &Decoder, const Loaded &In,
              std::map<uint64_t, std::string> &Imports) {
  const KnownRegisters None(Decoder, KnownValues::Addresses);
  ArrayRef<uint8_t> Bytes = In.Bytes;
  for (uint64_t At = In.Address; !Bytes.empty();) {
    MCInst Found;
    const uint64_t Size = std::max<uint64_t>(1, Decoder.next(Bytes, At, Found));
    const auto Memory = memoryOperand(Found, 0);
    const auto Word =
        Memory && Decoder.instructions().get(Found.getOpcode()).isBranch()
            ? None.addressOf(*Memory, At + Size)
            : std::nullopt;
    if (const auto To = Word ? Imports.find(*Word) : Imports.end();
        To != Imports.end())
      for (uint64_t Stub : {At, At & ~uint64_t(7), At & ~uint64_t(15)})
        Imports.try_emplace(Stub, To->second);
    Bytes = Bytes.drop_front(std::min<size_t>(Size, Bytes.size()));
    At += Size;
  }
}

} // namespace

Expected<ImageUses> readDataUses(const std::string &File,
                                 const ObjectFile &Symbols,
                                 const std::vector<uint64_t> &Places,
                                 bool Edges) {
  const auto Wrong = [&File](Error E) {
    return createStringError(File + ": " + toString(std::move(E)));
  };
  auto Buffer = MemoryBuffer::getFile(File, false, false);
  if (!Buffer)
    return createStringError(File + ": " + Buffer.getError().message());
  auto Image = Elf::create((*Buffer)->getBuffer());
  if (!Image)
    return Wrong(Image.takeError());
  if (Image->getHeader().e_machine != ELF::EM_X86_64)
    return ImageUses();
  auto Decoder = X86Decoder::create();
  if (!Decoder)
    return ImageUses();
  std::vector<std::vector<uint8_t>> Storage;
  auto Sections = loadedSections(*Image, Places, Storage);
  if (!Sections)
    return Wrong(Sections.takeError());
  std::vector<Range> Data;
  for (const Loaded &In : *Sections)
    if (In.Alloc && !In.Code && In.Address)
      Data.push_back({In.Address, In.Address + In.SizeBytes});
  ArgumentUses Passed(*Decoder, functionsOf(Symbols, *Sections));
  Bindings Bound;
  if (Edges) {
    auto Found = bindingsOf(*Image);
    if (!Found)
      return Wrong(Found.takeError());
    Bound = std::move(*Found);
    for (size_t S = 0; S < Sections->size(); ++S)
      if (S < Symbols.Sections.size() &&
          StringRef(Symbols.Sections[S].Name).starts_with(".plt"))
        addStubs(*Decoder, (*Sections)[S], Bound.Imports);
  }
  Scanner All(*Decoder, std::move(Data), Passed,
              Edges ? &Bound.Imports : nullptr);
  for (const Loaded &In : *Sections)
    if (In.Code)
      All.code(In.Bytes, In.Address);
    else
      All.words(In.Bytes, In.Address);
  for (const auto &[Word, To] : Bound.Pointers)
    All.pointer(Word, To);
  return std::move(All.Out);
}

} // namespace kst
