// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's memory, read where QEMU keeps it, by the kernel's addresses.
// x86-64, four levels of page tables.

#ifndef KST_PASSES_RECORDER_GUEST_H
#define KST_PASSES_RECORDER_GUEST_H

#include "passes/recorder/Settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kst {

/// Of the guest.
inline constexpr uint64_t PageBytes = 4096;

class Guest {
public:
  explicit Guest(const RecorderSettings &S) : S(S) {}
  /// Maps the file with the memory; false if it cannot.
  bool map(const std::string &Path);

  static constexpr uint64_t Nowhere = ~uint64_t(0);
  static constexpr uint64_t ImageBase = 0xffffffff80000000;
  static constexpr uint64_t ImageBytes = 0x20000000;

  /// Nowhere if nothing is there.
  uint64_t physical(uint64_t Address) const;
  /// 8 bytes; 0 where nothing is.
  uint64_t read(uint64_t Address) const { return readRam(physical(Address)); }
  uint64_t read(uint64_t Address, MemberPlace Member) const;
  std::string text(uint64_t Address, size_t MostBytes) const;

  bool inDirectMap(uint64_t Address) const {
    return Address - S.DirectMap < End;
  }
  uint64_t frames() const { return End >> 12; }
  uint64_t frameOf(uint64_t DirectAddress) const {
    return (DirectAddress - S.DirectMap) >> 12;
  }
  uint64_t pageStruct(uint64_t Frame) const;
  /// Of the page struct around the address; frames() or more: of none.
  uint64_t frameOfStruct(uint64_t Address) const;
  /// Reads where the page structs of each section are. To be called when the
  /// kernel knows; before, the two above find nothing.
  void readSections();

private:
  uint64_t readRam(uint64_t Physical) const;

  const RecorderSettings &S;
  const uint8_t *Ram = nullptr;
  uint64_t End = 0; ///< of physical addresses
  /// Of each section, where the page struct of frame 0 would be; 0: none.
  std::vector<uint64_t> Sections;
  AddressRange SectionStructs; ///< around all of them
};

} // namespace kst

#endif
