// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/ObjectFiles.h"

#include "passes/readers/DebugFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace kst {
namespace {

Error wrong(const Twine &File, const Twine &What) {
  return createStringError(File + ": " + What);
}

using Elf = object::ELF64LEFile;

Expected<ObjectFile> sectionsAndSymbols(const Elf &File) {
  ObjectFile Out;
  Out.Relocatable = File.getHeader().e_type == ELF::ET_REL;
  Out.AnyAddress = File.getHeader().e_type == ELF::ET_DYN;
  if (!Out.Relocatable) {
    auto Headers = File.program_headers();
    if (!Headers)
      return Headers.takeError();
    Out.HeadersBytes = File.getHeader().e_phoff +
                       Headers->size() * File.getHeader().e_phentsize;
    for (const auto &Of : *Headers)
      if (Of.p_type == ELF::PT_LOAD && Of.p_offset == 0)
        Out.HeadersEnd = Of.p_vaddr + Out.HeadersBytes;
  }
  auto Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  auto Names = File.getSectionStringTable(*Sections);
  if (!Names)
    return Names.takeError();
  for (const Elf::Elf_Shdr &Header : *Sections) {
    auto Name = File.getSectionName(Header, *Names);
    if (!Name)
      return Name.takeError();
    ObjectSection Of;
    Of.Name = Name->str();
    Of.Address = Header.sh_addr;
    Of.SizeBytes = Header.sh_size;
    Of.AlignBytes = std::max<uint64_t>(1, Header.sh_addralign);
    Of.Alloc = Header.sh_flags & ELF::SHF_ALLOC;
    Of.Code = Header.sh_flags & ELF::SHF_EXECINSTR;
    Of.Written = Header.sh_flags & ELF::SHF_WRITE;
    Of.Merged = Header.sh_flags & ELF::SHF_MERGE;
    Of.Tls = Header.sh_flags & ELF::SHF_TLS;
    Of.NoBits = Header.sh_type == ELF::SHT_NOBITS;
    Out.Module |= Out.Relocatable && Of.Name == ".gnu.linkonce.this_module";
    Out.Sections.push_back(std::move(Of));
  }
  for (const Elf::Elf_Shdr &Header : *Sections) {
    if (Header.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto Symbols = File.symbols(&Header);
    if (!Symbols)
      return Symbols.takeError();
    auto Strings = File.getStringTableForSymtab(Header, *Sections);
    if (!Strings)
      return Strings.takeError();
    Expected<ArrayRef<Elf::Elf_Word>> Wide = ArrayRef<Elf::Elf_Word>();
    for (const Elf::Elf_Shdr &Other : *Sections)
      if (Other.sh_type == ELF::SHT_SYMTAB_SHNDX) {
        Wide = File.getSHNDXTable(Other, *Sections);
        if (!Wide)
          return Wide.takeError();
      }
    uint32_t In = ObjectSymbol::None;
    for (size_t I = 1; I < Symbols->size(); ++I) {
      const Elf::Elf_Sym &Symbol = (*Symbols)[I];
      auto Name = Symbol.getName(*Strings);
      if (!Name)
        return Name.takeError();
      if (Symbol.getType() == ELF::STT_FILE) {
        In = Out.Files.size();
        Out.Files.push_back(Name->str());
        continue;
      }
      if (Symbol.getType() == ELF::STT_SECTION || Name->empty())
        continue;
      ObjectSymbol Of;
      Of.Name = Name->str();
      Of.Value = Symbol.st_value;
      Of.SizeBytes = Symbol.st_size;
      Of.Local = Symbol.getBinding() == ELF::STB_LOCAL;
      Of.File = Of.Local ? In : ObjectSymbol::None;
      Of.Function = Symbol.getType() == ELF::STT_FUNC ||
                    Symbol.getType() == ELF::STT_GNU_IFUNC;
      Of.Object = Symbol.getType() == ELF::STT_OBJECT ||
                  Symbol.getType() == ELF::STT_TLS;
      uint32_t At = Symbol.st_shndx;
      if (At == ELF::SHN_XINDEX && I < Wide->size())
        Of.Section = (*Wide)[I];
      else if (At == ELF::SHN_ABS)
        Of.Section = ObjectSymbol::Absolute;
      else if (At == ELF::SHN_COMMON)
        Of.Section = ObjectSymbol::Common;
      else if (At != ELF::SHN_UNDEF && At < Out.Sections.size())
        Of.Section = At;
      Out.Symbols.push_back(std::move(Of));
    }
    break;
  }
  return Out;
}

Expected<ObjectFile> fromBytes(StringRef Bytes, const std::string &Name) {
  if (!Bytes.starts_with("\x7f"
                         "ELF") ||
      Bytes.size() < 64)
    return wrong(Name, "not an ELF file");
  if (Bytes[4] != ELF::ELFCLASS64 || Bytes[5] != ELF::ELFDATA2LSB)
    return wrong(Name, "not a 64-bit little-endian ELF file");
  auto File = Elf::create(Bytes);
  if (!File)
    return wrong(Name, toString(File.takeError()));
  auto Out = sectionsAndSymbols(*File);
  if (!Out)
    return wrong(Name, toString(Out.takeError()));
  return Out;
}

Expected<std::unique_ptr<MemoryBuffer>> bytesOf(const Twine &Name) {
  auto Buffer = MemoryBuffer::getFile(Name, false, false);
  if (!Buffer)
    return wrong(Name, Buffer.getError().message());
  return std::move(*Buffer);
}

/// Numbers of the sections of a program, which a debug file has in the same
/// order.
std::vector<uint32_t> loaded(const ObjectFile &File) {
  std::vector<uint32_t> Out;
  for (uint32_t I = 0; I < File.Sections.size(); ++I)
    if (File.Sections[I].Alloc)
      Out.push_back(I);
  return Out;
}

/// Whether the sections of both are the same.
bool takeSymbols(ObjectFile Debug, ObjectFile &Image) {
  const std::vector<uint32_t> From = loaded(Debug), To = loaded(Image);
  if (From.size() != To.size())
    return false;
  for (ObjectSymbol &Of : Debug.Symbols)
    if (auto At = lower_bound(From, Of.Section);
        At != From.end() && *At == Of.Section)
      Of.Section = To[size_t(At - From.begin())];
  Image.Symbols = std::move(Debug.Symbols);
  Image.Files = std::move(Debug.Files);
  return true;
}

} // namespace

Expected<ObjectFile> readImage(const std::string &File) {
  auto Image = readObjectFile(File);
  if (!Image || !Image->Symbols.empty())
    return Image;
  auto Object = object::ObjectFile::createObjectFile(File);
  if (!Object)
    return wrong(File, toString(Object.takeError()));
  const DebugFile Found =
      findDebugFile(*Object->getBinary(), File, debugDirectories());
  if (Found.Path.empty())
    return createStringError(File + " has no symbols: " + Found.Missing);
  auto Debug = readObjectFile(Found.Path);
  if (!Debug)
    return Debug;
  if (!takeSymbols(std::move(*Debug), *Image))
    return wrong(Found.Path, "has other sections than " + File);
  return Image;
}

Expected<ObjectFile> readObjectFile(const std::string &Name) {
  const size_t Open = Name.rfind(".a(");
  if (Open == std::string::npos || Name.back() != ')') {
    auto Buffer = bytesOf(Name);
    if (!Buffer)
      return Buffer.takeError();
    return fromBytes((*Buffer)->getBuffer(), Name);
  }
  const std::string Path = Name.substr(0, Open + 2),
                    Member = Name.substr(Open + 3, Name.size() - Open - 4);
  auto Buffer = bytesOf(Path);
  if (!Buffer)
    return Buffer.takeError();
  auto File = object::Archive::create(**Buffer);
  if (!File)
    return wrong(Path, toString(File.takeError()));
  Error Bad = Error::success();
  for (const object::Archive::Child &Child : (*File)->children(Bad)) {
    auto Called = Child.getName();
    if (!Called) {
      consumeError(Called.takeError());
      continue;
    }
    if (*Called != Member)
      continue;
    auto Bytes = Child.getBuffer();
    consumeError(std::move(Bad));
    if (!Bytes)
      return wrong(Name, toString(Bytes.takeError()));
    return fromBytes(*Bytes, Name);
  }
  if (Bad)
    return wrong(Path, toString(std::move(Bad)));
  return wrong(Path, "has no member " + Member);
}

} // namespace kst
