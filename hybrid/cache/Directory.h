// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which CPUs hold a line in their private caches, and in which state of MESI.

#pragma once

#include "hybrid/cache/LineTable.h"

namespace kst {

inline constexpr unsigned MaxCacheCpus = 64;

/// A set of CPUs: bit N is CPU N.
using CpuSet = uint64_t;

/// MESI, seen from the line instead of from each cache. Exact: it is told of
/// every line that leaves the private caches of a CPU, and has an entry for no
/// other line.
class Directory {
public:
  /// Does another CPU hold the line modified?
  bool isDirtyElsewhere(uint64_t Line, unsigned Cpu) {
    const Entry *E = Lines.find(Line);
    return E && E->What == Modified && E->Holders != bit(Cpu);
  }

  /// `Cpu` gets the line to read. Returns the CPU that held it modified and
  /// must not write to it from now on, or none.
  CpuSet load(uint64_t Line, unsigned Cpu);

  struct Store {
    CpuSet Losers; ///< held the line until now
    bool Upgrade;  ///< `Cpu` held the line shared: it asks for no data, but for
                   ///< the right to write
  };
  /// `Cpu` gets the line to write to it.
  Store store(uint64_t Line, unsigned Cpu);

  /// The line has left the private caches of `Cpu`.
  void drop(uint64_t Line, unsigned Cpu);

private:
  enum State : uint8_t { Shared, Exclusive, Modified };
  struct Entry {
    CpuSet Holders = 0;
    State What = Exclusive;
  };
  static CpuSet bit(unsigned Cpu) { return CpuSet(1) << Cpu; }

  LineTable<Entry> Lines;
};

} // namespace kst
