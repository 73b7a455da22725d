// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose writes a struct lost its lines to, in one order of its fields.

#pragma once

#include "hybrid/cache/LineTable.h"
#include "hybrid/dprof/DataProfile.h"

#include <map>

namespace kst {

class LossTable {
public:
  /// A miss by sharing of the CPU, whose part `Key` is as in LossRow.
  void count(LossRow Key, bool True, uint64_t CpuLine) {
    Misses &To = Rows[{Key.Field, Key.Line, std::move(Key.Written)}];
    ++(True ? To.True : To.False);
    if (!True)
      LatestFalse[CpuLine] = &To;
  }
  /// The latest false one of the CPU on that line was true.
  void turnTrue(uint64_t CpuLine) {
    Misses &To = **LatestFalse.find(CpuLine);
    --To.False;
    ++To.True;
  }

  std::vector<LossRow> rows() const {
    std::vector<LossRow> Out;
    for (const auto &[Key, Of] : Rows) {
      const auto &[Field, Line, Written] = Key;
      Out.push_back({Field, Line, Written, Of.True, Of.False});
    }
    return Out;
  }

private:
  struct Misses {
    uint64_t True = 0, False = 0;
  };
  std::map<std::tuple<uint32_t, uint32_t, std::vector<uint32_t>>, Misses> Rows;
  LineTable<Misses *> LatestFalse; ///< [line * CPUs + CPU]; into Rows
};

} // namespace kst
