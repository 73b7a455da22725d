// SPDX-License-Identifier: GPL-2.0-or-later
//
// How often each instruction of a kernel's image ran: a number for every
// address of its code, which the emulated code increments itself.

#ifndef KST_PASSES_RECORDER_EXECUTIONCOUNTS_H
#define KST_PASSES_RECORDER_EXECUTIONCOUNTS_H

#include "passes/recorder/Settings.h"

#include <cstdint>
#include <map>
#include <string>

namespace kst {

/// Not for several threads. Numbers keep their place while it lives.
class ExecutionCounts {
public:
  ExecutionCounts() = default;
  ExecutionCounts(const ExecutionCounts &) = delete;
  ~ExecutionCounts();

  /// Makes numbers for this code, all 0; false: there is no memory.
  bool map(AddressRange Code);

  /// The number of the instruction there. One for all code outside.
  uint64_t *at(uint64_t Address) {
    return Code.has(Address) ? &Numbers[Address - Code.Begin] : &Outside;
  }
  /// The rounds of a repeated string instruction that does not follow another
  /// one in its block: where a jump led, or its own next rounds.
  uint64_t *rounds(uint64_t Address, uint64_t Bytes);

  void clear();

  /// A text: lines of an address in hexadecimal and a count, by address; then
  /// `outside COUNT`, and `end`. The count of a repeated instruction is how
  /// often it was begun: where only jumps led to it, how often it and the next
  /// instruction both ran. False: it could not be written.
  bool write(const std::string &Path) const;

private:
  struct Repeated {
    uint64_t Rounds = 0, Bytes = 0;
  };
  AddressRange Code;
  uint64_t *Numbers = nullptr;
  uint64_t Outside = 0;
  std::map<uint64_t, Repeated> Repeats; ///< by address
};

/// Whether the bytes are an instruction of x86 that repeats itself: `rep` and
/// a string instruction.
bool repeats(const uint8_t *Code, uint64_t Bytes);

} // namespace kst

#endif
