// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/Guest.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kst {

static constexpr unsigned PageShift = 12;
static constexpr uint64_t FourGiB = uint64_t(4) << 30;

bool Guest::map(const std::string &Path) {
  int File = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return false;
  void *Mapped = mmap(nullptr, S.RamBytes, PROT_READ, MAP_SHARED, File, 0);
  close(File);
  if (Mapped == MAP_FAILED)
    return false;
  Ram = static_cast<const uint8_t *>(Mapped);
  End = S.RamBytes <= S.LowBytes ? S.RamBytes
                                 : FourGiB + (S.RamBytes - S.LowBytes);
  return true;
}

uint64_t Guest::readRam(uint64_t Physical) const {
  // What the machine moved behind 4 GiB follows the rest in the file.
  if (Physical >= FourGiB)
    Physical = Physical - FourGiB + S.LowBytes;
  else if (Physical >= S.LowBytes)
    return 0;
  uint64_t Value = 0;
  if (Physical <= S.RamBytes - sizeof(Value))
    memcpy(&Value, Ram + Physical, sizeof(Value));
  return Value;
}

uint64_t Guest::physical(uint64_t Address) const {
  const uint64_t Frame = 0x000ffffffffff000;
  if (inDirectMap(Address))
    return Address - S.DirectMap;
  if (Address - ImageBase < ImageBytes)
    return Address - S.ImageShift;
  uint64_t Table = S.PageTable - S.ImageShift;
  for (int Shift = 39; Shift >= 12; Shift -= 9) {
    uint64_t Entry = readRam(Table + (Address >> Shift & 511) * 8);
    uint64_t Within = (uint64_t(1) << Shift) - 1;
    if (!(Entry & 1))
      return Nowhere;
    if (Shift == 12 || (Shift < 39 && (Entry & 0x80)))
      return (Entry & Frame & ~Within) | (Address & Within);
    Table = Entry & Frame;
  }
  return Nowhere;
}

uint64_t Guest::read(uint64_t Address, MemberPlace Member) const {
  if (!Member.SizeBytes)
    return 0;
  uint64_t Value = read(Address + Member.Offset);
  return Member.SizeBytes >= 8
             ? Value
             : Value & ((uint64_t(1) << 8 * Member.SizeBytes) - 1);
}

std::string Guest::text(uint64_t Address, size_t MostBytes) const {
  std::string Out;
  for (; Out.size() < MostBytes; ++Address) {
    char C = static_cast<char>(read(Address));
    if (!C)
      break;
    Out += C;
  }
  return Out;
}

uint64_t Guest::pageStruct(uint64_t Frame) const {
  if (!S.Sections)
    return S.PageStructs + Frame * S.PageStructBytes;
  uint64_t Section = Frame >> (S.SectionBits - PageShift);
  return Section < Sections.size() && Sections[Section]
             ? Sections[Section] + Frame * S.PageStructBytes
             : 0;
}

uint64_t Guest::frameOfStruct(uint64_t Address) const {
  if (!S.Sections)
    return (Address - S.PageStructs) / S.PageStructBytes;
  if (Address - SectionStructs.Begin >=
      SectionStructs.End - SectionStructs.Begin)
    return Nowhere;
  for (uint64_t I = 0; I < Sections.size(); ++I) {
    uint64_t Frame = (Address - Sections[I]) / S.PageStructBytes;
    if (Sections[I] && Frame >> (S.SectionBits - PageShift) == I)
      return Frame;
  }
  return Nowhere;
}

void Guest::readSections() {
  // Flags of a section are below this bit of its map.
  constexpr uint64_t MapMask = ~uint64_t(0x3f);
  if (!S.Sections || !S.SectionBytes || !Sections.empty())
    return;
  uint64_t PerRoot = 4096 / S.SectionBytes;
  std::vector<uint64_t> Found;
  AddressRange Around = {Nowhere, 0};
  for (uint64_t I = 0; I << S.SectionBits < End; ++I) {
    uint64_t Root = read(read(S.Sections) + I / PerRoot * 8);
    uint64_t Map = Root ? read(Root + I % PerRoot * S.SectionBytes) : 0;
    Found.push_back(Map & MapMask);
    if (!Found[I])
      continue;
    uint64_t Frames = uint64_t(1) << (S.SectionBits - PageShift);
    uint64_t First = Found[I] + I * Frames * S.PageStructBytes;
    Around.Begin = std::min(Around.Begin, First);
    Around.End = std::max(Around.End, First + Frames * S.PageStructBytes);
  }
  if (!Around.End)
    return;
  Sections = Found;
  SectionStructs = Around;
}

} // namespace kst
