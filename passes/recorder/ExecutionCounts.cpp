// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/recorder/ExecutionCounts.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <sys/mman.h>

namespace kst {

ExecutionCounts::~ExecutionCounts() {
  if (Numbers)
    ::munmap(Numbers, (Code.End - Code.Begin) * sizeof(*Numbers));
}

bool ExecutionCounts::map(AddressRange Of) {
  // Pages that no code counts in are never there.
  void *At = ::mmap(nullptr, (Of.End - Of.Begin) * sizeof(*Numbers),
                    PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (At == MAP_FAILED)
    return false;
  Numbers = static_cast<uint64_t *>(At);
  Code = Of;
  return true;
}

uint64_t *ExecutionCounts::rounds(uint64_t Address, uint64_t Bytes) {
  if (!Code.has(Address))
    return &Outside;
  Repeated &Of = Repeats[Address];
  Of.Bytes = Bytes;
  return &Of.Rounds;
}

void ExecutionCounts::clear() {
  ::madvise(Numbers, (Code.End - Code.Begin) * sizeof(*Numbers), MADV_DONTNEED);
  for (auto &[Address, Of] : Repeats)
    Of.Rounds = 0;
  Outside = 0;
}

bool ExecutionCounts::write(const std::string &Path) const {
  FILE *To = ::fopen(Path.c_str(), "we");
  if (!To)
    return false;
  auto Repeat = Repeats.begin();
  for (uint64_t Address = Code.Begin; Address < Code.End; ++Address) {
    uint64_t Count = Numbers[Address - Code.Begin];
    if (Repeat != Repeats.end() && Repeat->first == Address) {
      uint64_t Next = Address + Repeat->second.Bytes;
      if (!Count && Next < Code.End)
        Count = std::min(Repeat->second.Rounds, Numbers[Next - Code.Begin]);
      ++Repeat;
    }
    if (Count)
      fprintf(To, "%" PRIx64 " %" PRIu64 "\n", Address, Count);
  }
  fprintf(To, "outside %" PRIu64 "\nend\n", Outside);
  bool Good = !ferror(To);
  return !::fclose(To) && Good;
}

bool repeats(const uint8_t *Code, uint64_t Bytes) {
  bool Rep = false;
  uint64_t At = 0;
  for (; At < Bytes; ++At) {
    uint8_t Byte = Code[At];
    if (Byte == 0xf2 || Byte == 0xf3)
      Rep = true;
    else if (Byte != 0x66 && Byte != 0x67 && (Byte & 0xf0) != 0x40 &&
             (Byte & 0xe7) != 0x26 && Byte != 0x64 && Byte != 0x65)
      break;
  }
  if (!Rep || At + 1 != Bytes)
    return false;
  uint8_t What = Code[At] & 0xfe;
  // ins, outs; movs, cmps; stos, lods, scas.
  return What == 0x6c || What == 0x6e || What == 0xa4 || What == 0xa6 ||
         What == 0xaa || What == 0xac || What == 0xae;
}

} // namespace kst
