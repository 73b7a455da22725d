// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions are summarised one after the other, callees first. Whoever looks at
// one of them again must not know more than was known at its turn.

#pragma once

#include "hybrid/program/Program.h"

#include <vector>

namespace kst {

/// What is known of each function at the turn of one of them: nothing of those
/// whose turn is not before. Borrows the table, which may still be filled in.
template <typename T> class Earlier {
public:
  /// All that the table holds.
  Earlier(const std::vector<T> &Table, T Nothing = T())
      : Table(&Table), Nothing(std::move(Nothing)) {}
  /// `Turns`: of each function, by FunctionId; borrowed.
  Earlier(const std::vector<T> &Table, const std::vector<uint32_t> &Turns,
          FunctionId At, T Nothing = T())
      : Table(&Table), Turns(&Turns), Turn(Turns[At]),
        Nothing(std::move(Nothing)) {}

  const T &operator[](FunctionId Id) const {
    return !Turns || (*Turns)[Id] < Turn ? (*Table)[Id] : Nothing;
  }

private:
  const std::vector<T> *Table;
  const std::vector<uint32_t> *Turns = nullptr;
  uint32_t Turn = 0;
  T Nothing;
};

} // namespace kst
