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

using namespace llvm;

namespace kst {
namespace {

struct Range {
  uint64_t Begin = 0, End = 0;
};

class Scanner {
public:
  Scanner(const X86Decoder &Decoder, std::vector<Range> Data,
          ArgumentUses &Passed)
      : Decoder(Decoder), Data(std::move(Data)), Passed(Passed),
        Known(Decoder, KnownValues::Addresses), Rip(Decoder.registerOf("RIP")) {
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
      DataUse Use;
      Use.Code = Address + At;
      Use.Data = support::endian::read64le(Bytes.data() + At);
      Use.Taken = Use.InData = true;
      add(Use);
    }
  }
  std::vector<DataUse> Out;

private:
  bool inData(uint64_t Address) const {
    auto After = llvm::upper_bound(
        Data, Address, [](uint64_t A, const Range &R) { return A < R.Begin; });
    return After != Data.begin() && Address < std::prev(After)->End;
  }
  void add(DataUse Use) {
    if (inData(Use.Data))
      Out.push_back(Use);
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
    call(Of, Address, Next);
  }

  const X86Decoder &Decoder;
  std::vector<Range> Data;
  ArgumentUses &Passed;
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

} // namespace

Expected<std::vector<DataUse>>
readDataUses(const std::string &File, const ObjectFile &Symbols,
             const std::vector<uint64_t> &Places) {
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
    return std::vector<DataUse>();
  auto Decoder = X86Decoder::create();
  if (!Decoder)
    return std::vector<DataUse>();
  std::vector<std::vector<uint8_t>> Storage;
  auto Sections = loadedSections(*Image, Places, Storage);
  if (!Sections)
    return Wrong(Sections.takeError());
  std::vector<Range> Data;
  for (const Loaded &In : *Sections)
    if (In.Alloc && !In.Code && In.Address)
      Data.push_back({In.Address, In.Address + In.SizeBytes});
  ArgumentUses Passed(*Decoder, functionsOf(Symbols, *Sections));
  Scanner All(*Decoder, std::move(Data), Passed);
  for (const Loaded &In : *Sections)
    if (In.Code)
      All.code(In.Bytes, In.Address);
    else
      All.words(In.Bytes, In.Address);
  return std::move(All.Out);
}

} // namespace kst
