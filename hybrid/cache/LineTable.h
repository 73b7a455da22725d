// SPDX-License-Identifier: GPL-2.0-or-later
//
// A map from lines to small values, for the tables that every miss consults.
// Open addressing: no allocation for each line, and one host cache line for a
// look-up as a rule, where std::unordered_map needs three.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kst {

/// No line of any address has this number: lines have at least 16 bytes.
inline constexpr uint64_t NoLine = ~uint64_t(0) >> 1;

/// Pointers and references into it are good until the next insertion or
/// erasure.
template <typename T> class LineTable {
public:
  /// Null if the line is not in the table.
  T *find(uint64_t Line) {
    for (size_t I = home(Line);; I = next(I)) {
      if (Slots[I].Line == Line)
        return &Slots[I].Value;
      if (Slots[I].Line == NoLine)
        return nullptr;
    }
  }

  /// Inserts T() if the line is not in the table.
  T &operator[](uint64_t Line) {
    if (T *Found = find(Line))
      return *Found;
    if (++Count * 2 > Slots.size())
      grow();
    Slot &Free = Slots[freeFor(Line)];
    Free = {Line, T()};
    return Free.Value;
  }

  void erase(uint64_t Line) {
    size_t Hole = home(Line);
    for (; Slots[Hole].Line != Line; Hole = next(Hole))
      if (Slots[Hole].Line == NoLine)
        return;
    --Count;
    // What stands behind and may stand here moves up, so no search ends early.
    for (size_t I = next(Hole); Slots[I].Line != NoLine; I = next(I)) {
      size_t Home = home(Slots[I].Line);
      if (((I - Home) & (Slots.size() - 1)) >=
          ((I - Hole) & (Slots.size() - 1))) {
        Slots[Hole] = std::move(Slots[I]);
        Hole = I;
      }
    }
    Slots[Hole] = Slot();
  }

  size_t size() const { return Count; }

private:
  struct Slot {
    uint64_t Line = NoLine;
    T Value{};
  };

  size_t home(uint64_t Line) const {
    return (Line * 0x9e3779b97f4a7c15) >> Shift; // 2^64 / golden ratio
  }
  size_t next(size_t I) const { return (I + 1) & (Slots.size() - 1); }
  size_t freeFor(uint64_t Line) const {
    size_t I = home(Line);
    while (Slots[I].Line != NoLine)
      I = next(I);
    return I;
  }
  void grow() {
    std::vector<Slot> Old(Slots.size() * 2);
    Old.swap(Slots);
    --Shift;
    for (Slot &S : Old)
      if (S.Line != NoLine)
        Slots[freeFor(S.Line)] = std::move(S);
  }

  std::vector<Slot> Slots = std::vector<Slot>(16);
  unsigned Shift = 60; ///< 64 - log2(Slots.size())
  size_t Count = 0;
};

} // namespace kst
