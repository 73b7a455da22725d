// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/verify/ElfObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELF.h"

namespace kst {

namespace {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using namespace llvm::ELF;

Error bad(const llvm::Twine &Why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), Why.str());
}

template <class ELFT> class Reader {
public:
  explicit Reader(const llvm::object::ELFFile<ELFT> &File) : File(File) {}

  Expected<ElfObject> read() {
    const auto &Header = File.getHeader();
    if (Header.e_type != ET_REL && Header.e_type != ET_EXEC &&
        Header.e_type != ET_DYN)
      return bad("neither an object file nor a program");
    Object.Kind =
        Header.e_type == ET_REL ? ElfObject::Relocatable : ElfObject::Linked;
    Object.Machine = Header.e_machine;
    auto Found = File.sections();
    if (!Found)
      return Found.takeError();
    Sections = *Found;
    if (Sections.empty())
      return bad("has no section headers");
    if (Error E = readSections())
      return E;
    if (Error E = readSymbols())
      return E;
    for (const Shdr &Section : Sections)
      if (Error E = readRelocations(Section))
        return E;
    std::ranges::stable_sort(
        Object.Relocations, [](const ElfRelocation &A, const ElfRelocation &B) {
          return A.Section < B.Section;
        });
    return std::move(Object);
  }

private:
  using Shdr = typename ELFT::Shdr;

  Error readSections() {
    for (const Shdr &Section : Sections) {
      ElfSection Ours;
      auto Name = File.getSectionName(Section);
      if (!Name)
        return Name.takeError();
      Ours.Name = *Name;
      Ours.Address = Section.sh_addr;
      Ours.SizeBytes = Section.sh_size;
      Ours.Loaded = Section.sh_flags & SHF_ALLOC;
      Ours.Code = Ours.Loaded && (Section.sh_flags & SHF_EXECINSTR);
      if (Section.sh_type != SHT_NOBITS && Section.sh_type != SHT_NULL) {
        auto Content = File.getSectionContents(Section);
        if (!Content)
          return Content.takeError();
        Ours.Content = llvm::toStringRef(*Content);
      }
      Object.Sections.push_back(Ours);
    }
    return Error::success();
  }

  Error readSymbols() {
    const Shdr *Table = nullptr, *Wide = nullptr;
    for (const Shdr &Section : Sections) {
      if (Section.sh_type == SHT_SYMTAB)
        Table = &Section;
      else if (Section.sh_type == SHT_SYMTAB_SHNDX)
        Wide = &Section;
    }
    if (!Table)
      return Error::success();
    auto Symbols = File.symbols(Table);
    if (!Symbols)
      return Symbols.takeError();
    auto Strings = File.getStringTableForSymtab(*Table);
    if (!Strings)
      return Strings.takeError();
    llvm::object::DataRegion<typename ELFT::Word> Indexes(
        llvm::ArrayRef<typename ELFT::Word>{});
    if (Wide) {
      auto Read = File.getSHNDXTable(*Wide);
      if (!Read)
        return Read.takeError();
      Indexes = llvm::object::DataRegion<typename ELFT::Word>(*Read);
    }
    Object.Symbols.reserve(Symbols->size());
    for (const auto &Symbol : *Symbols) {
      ElfSymbol Ours;
      auto Name = Symbol.getName(*Strings);
      if (!Name)
        return Name.takeError();
      auto Index = File.getSectionIndex(Symbol, *Symbols, Indexes);
      if (!Index)
        return Index.takeError();
      if (*Index >= Sections.size())
        return bad("a symbol lies in section " + llvm::Twine(*Index) +
                   ", which does not exist");
      Ours.Name = *Name;
      Ours.Section = *Index ? *Index : NoSection;
      Ours.Value = Symbol.st_value;
      Ours.SizeBytes = Symbol.st_size;
      Ours.Function = Symbol.getType() == STT_FUNC;
      Ours.IsSection = Symbol.getType() == STT_SECTION;
      Ours.IsFile = Symbol.getType() == STT_FILE;
      Object.Symbols.push_back(Ours);
    }
    return Error::success();
  }

  /// PC-relative of the x86 kinds that code uses: their addend is off by the
  /// distance from the field to the end of the instruction.
  bool pcRelative(uint32_t Type) const {
    if (Object.Machine == EM_X86_64)
      return Type == R_X86_64_PC32 || Type == R_X86_64_PLT32 ||
             Type == R_X86_64_GOTPCREL || Type == R_X86_64_GOTPCRELX ||
             Type == R_X86_64_REX_GOTPCRELX;
    return false;
  }

  template <class Range> Error add(const Range &Relocations, uint32_t Target) {
    for (const auto &Relocation : Relocations) {
      ElfRelocation Ours;
      Ours.Section = Target;
      Ours.Symbol = Relocation.getSymbol(/*isMips64EL=*/false);
      Ours.Offset = Relocation.r_offset;
      if constexpr (requires { Relocation.r_addend; })
        Ours.Addend = Relocation.r_addend;
      Ours.PcRelative = pcRelative(Relocation.getType(false));
      if (Ours.Symbol && Ours.Symbol >= Object.Symbols.size())
        return bad(Object.Symbols.empty()
                       ? llvm::Twine("has relocations but no symbol table "
                                     "(stripped?)")
                       : "a relocation names symbol " +
                             llvm::Twine(Ours.Symbol) +
                             ", which does not exist");
      Object.Relocations.push_back(Ours);
    }
    return Error::success();
  }

  /// Only those for loaded sections of object files: what a linker would do.
  Error readRelocations(const Shdr &Section) {
    bool Rel = Section.sh_type == SHT_REL, Rela = Section.sh_type == SHT_RELA;
    if ((!Rel && !Rela) || (Section.sh_flags & SHF_ALLOC))
      return Error::success();
    if (Section.sh_info == 0 || Section.sh_info >= Sections.size())
      return bad("relocations for section " + llvm::Twine(Section.sh_info) +
                 ", which does not exist");
    if (!Object.Sections[Section.sh_info].Loaded)
      return Error::success();
    if (Rela) {
      auto Found = File.relas(Section);
      return Found ? add(*Found, Section.sh_info) : Found.takeError();
    }
    auto Found = File.rels(Section);
    return Found ? add(*Found, Section.sh_info) : Found.takeError();
  }

  const llvm::object::ELFFile<ELFT> &File;
  typename ELFT::ShdrRange Sections;
  ElfObject Object;
};

template <class ELFT> Expected<ElfObject> readAs(StringRef Buffer) {
  auto File = llvm::object::ELFFile<ELFT>::create(Buffer);
  if (!File)
    return File.takeError();
  return Reader<ELFT>(*File).read();
}

} // namespace

Expected<ElfObject> readElf(StringRef Buffer) {
  if (Buffer.empty())
    return bad("is empty");
  if (llvm::identify_magic(Buffer) == llvm::file_magic::bitcode)
    return bad("is LLVM bitcode (a build with LTO): give the object file that "
               "comes out of the linker, vmlinux.o");
  if (!Buffer.starts_with(llvm::ELF::ElfMagic) || Buffer.size() < EI_NIDENT)
    return bad("is not an ELF file");
  auto [Class, Order] = llvm::object::getElfArchType(Buffer);
  if (Order != ELFDATA2LSB)
    return bad("is not little-endian");
  if (Class == ELFCLASS64)
    return readAs<llvm::object::ELF64LE>(Buffer);
  if (Class == ELFCLASS32)
    return readAs<llvm::object::ELF32LE>(Buffer);
  return bad("is neither a 32-bit nor a 64-bit ELF file");
}

} // namespace kst
