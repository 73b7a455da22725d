// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/DataUses.h"

#include "passes/decode/X86Decoder.h"

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
  Scanner(const X86Decoder &Decoder, std::vector<Range> Data)
      : Decoder(Decoder), Data(std::move(Data)),
        Rip(Decoder.registerOf("RIP")) {
    llvm::sort(this->Data, [](const Range &A, const Range &B) {
      return A.Begin < B.Begin;
    });
  }
  void code(ArrayRef<uint8_t> Bytes, uint64_t Address) {
    while (!Bytes.empty()) {
      MCInst Found;
      const uint64_t Size =
          std::max<uint64_t>(1, Decoder.next(Bytes, Address, Found));
      if (Found.getNumOperands())
        instruction(Found, Address, Size);
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
  void instruction(const MCInst &Of, uint64_t Address, uint64_t Size) {
    const MCInstrDesc &What = Decoder.instructions().get(Of.getOpcode());
    const auto Operands = What.operands();
    for (unsigned I = 0; I < Of.getNumOperands() && I < Operands.size(); ++I) {
      const bool Memory = Operands[I].OperandType == MCOI::OPERAND_MEMORY &&
                          I + 4 < Of.getNumOperands() &&
                          Of.getOperand(I).isReg() &&
                          Of.getOperand(I + 3).isImm();
      if (Memory) {
        DataUse Use;
        Use.Code = Address;
        const unsigned Base = Of.getOperand(I).getReg(),
                       Index = Of.getOperand(I + 2).getReg();
        Use.Data = uint64_t(Of.getOperand(I + 3).getImm());
        if (Base == Rip)
          Use.Data += Address + Size;
        Use.Indexed = (Base && Base != Rip) || Index;
        Use.Load = What.mayLoad();
        Use.Store = What.mayStore();
        Use.Taken = !Use.Load && !Use.Store;
        if (Use.Store && !Use.Load && I + 5 < Of.getNumOperands() &&
            Of.getOperand(I + 5).isImm())
          Use.Constant = Of.getOperand(I + 5).getImm();
        if (!Of.getOperand(I + 4).getReg())
          add(Use);
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
  }

  const X86Decoder &Decoder;
  std::vector<Range> Data;
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

} // namespace

Expected<std::vector<DataUse>>
readDataUses(const std::string &File, const std::vector<uint64_t> &Places) {
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
  auto Sections = Image->sections();
  if (!Sections)
    return Wrong(Sections.takeError());
  const auto AddressOf = [&](const Elf::Elf_Shdr &S) {
    const size_t Number = size_t(&S - Sections->begin());
    return Number < Places.size() ? Places[Number] : uint64_t(S.sh_addr);
  };
  std::vector<Range> Data;
  for (const auto &S : *Sections)
    if ((S.sh_flags & ELF::SHF_ALLOC) && !(S.sh_flags & ELF::SHF_EXECINSTR) &&
        AddressOf(S))
      Data.push_back({AddressOf(S), AddressOf(S) + S.sh_size});
  Scanner All(*Decoder, std::move(Data));
  for (const auto &S : *Sections) {
    if (!(S.sh_flags & ELF::SHF_ALLOC) || S.sh_type != ELF::SHT_PROGBITS)
      continue;
    const bool Code = S.sh_flags & ELF::SHF_EXECINSTR;
    if (!Code && !AddressOf(S))
      continue;
    const auto Scan = [&](ArrayRef<uint8_t> Of) {
      if (Code)
        All.code(Of, AddressOf(S));
      else
        All.words(Of, AddressOf(S));
    };
    auto Bytes = Image->getSectionContents(S);
    if (!Bytes)
      return Wrong(Bytes.takeError());
    if (Places.empty()) {
      Scan(*Bytes);
      continue;
    }
    std::vector<uint8_t> Placed(Bytes->begin(), Bytes->end());
    const size_t Number = size_t(&S - Sections->begin());
    for (const auto &Other : *Sections)
      if (Other.sh_type == ELF::SHT_RELA && Other.sh_info == Number)
        if (Error E = relocate(*Image, Other, Places, AddressOf(S), Placed))
          return Wrong(std::move(E));
    Scan(Placed);
  }
  return std::move(All.Out);
}

} // namespace kst
