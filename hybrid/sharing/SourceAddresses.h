// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the memory that threads mean would lie: variables as a compiler places
// them, blocks as an allocator does.

#pragma once

#include "hybrid/sharing/ThreadWalk.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kst {

/// Borrows the program.
class SourceAddresses {
public:
  SourceAddresses(const Program &Whole, const ThreadWalk &Walk,
                  uint64_t LineBytes);

  struct Place {
    uint64_t Address = 0;
    uint64_t Object = 0;  ///< another number for each object of a root
    uint64_t Bytes = 0;   ///< that the access may be at
    bool Outside = false; ///< behind the variable: there is no such thread
  };
  /// Of a use by thread number Thread; none: an element with an unknown index.
  std::optional<Place> of(const RoleUse &Use, uint32_t Thread);

  /// Of a variable that nobody writes.
  bool isConstant(const MemoryPlace &Of) const;
  /// Bytes of an element step: those of the record behind it, or of the access.
  uint64_t strideOf(const RoleUse &Use, size_t Step) const;

private:
  struct Variable {
    uint64_t Address = 0, SizeBytes = 0;
    bool Constant = false;
  };

  void placeVariables();
  void measure(const RoleUse &Use);
  uint64_t roomOf(const std::string &Key);
  uint64_t base(const MemoryPlace &Of, uint32_t Thread);
  uint64_t sizeOf(RecordId Record) const {
    return Whole.recordFact(Record).SizeBytes;
  }

  const Program &Whole;
  const uint64_t LineBytes;
  std::map<std::string, Variable> Variables;
  std::map<std::string, uint64_t> RootBytes, Alignment, Rooms; ///< by root
  uint64_t NextRoom = 0;
};

} // namespace kst
