// SPDX-License-Identifier: GPL-2.0-or-later
//
// How well rules find whose an object is, counted.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kst {

/// How a context is found, best first.
enum class OwnerRule : uint8_t {
  Pointer, ///< its pointers lead to the anchor
  Call, ///< it was allocated in a system call on a descriptor, or that opened
  Task, ///< the last file that the allocating task used
  None,
};
inline constexpr size_t OwnerRules = 4;
const char *spelling(OwnerRule Rule);

/// What rules say of one object; 0: nothing.
struct OwnerGuess {
  uint32_t Pointer = 0, Call = 0, Task = 0;
  /// Its own pointer leads to something that is not known: what the others say
  /// is not it.
  bool Elsewhere = false;
  OwnerRule rule() const {
    return Pointer     ? OwnerRule::Pointer
           : Elsewhere ? OwnerRule::None
           : Call      ? OwnerRule::Call
           : Task      ? OwnerRule::Task
                       : OwnerRule::None;
  }
  uint32_t best() const {
    return Pointer ? Pointer : Elsewhere ? 0 : Call ? Call : Task;
  }
};

/// Of objects of one type, or of all.
struct Attributed {
  std::array<uint64_t, OwnerRules> Objects{},
      Bytes{}; ///< by the rule that says
  /// Bytes that the rule would attribute by itself, whatever the better say.
  std::array<uint64_t, OwnerRules> Alone{};
  /// Bytes of which both say something, and the same.
  struct Agreement {
    uint64_t Both = 0, Same = 0;
    Agreement &operator+=(const Agreement &O) {
      Both += O.Both;
      Same += O.Same;
      return *this;
    }
  } PointerCall, PointerTask, CallTask;
  uint64_t SoftirqBytes = 0; ///< allocated in softirq, hardirq or NMI
  uint64_t SoftirqNone = 0;  ///< of these, of no context
  uint64_t Changed = 0;      ///< objects whose pointers led elsewhere later

  uint64_t objects() const {
    return Objects[0] + Objects[1] + Objects[2] + Objects[3];
  }
  uint64_t bytes() const { return Bytes[0] + Bytes[1] + Bytes[2] + Bytes[3]; }
  void count(const OwnerGuess &Of, uint64_t SizeBytes, bool Interrupt) {
    ++Objects[size_t(Of.rule())];
    Bytes[size_t(Of.rule())] += SizeBytes;
    Alone[0] += Of.Pointer ? SizeBytes : 0;
    Alone[1] += Of.Call ? SizeBytes : 0;
    Alone[2] += Of.Task ? SizeBytes : 0;
    auto Compare = [&](Agreement &To, uint32_t A, uint32_t B) {
      if (A && B)
        To += {SizeBytes, A == B ? SizeBytes : 0};
    };
    Compare(PointerCall, Of.Pointer, Of.Call);
    Compare(PointerTask, Of.Pointer, Of.Task);
    Compare(CallTask, Of.Call, Of.Task);
    if (Interrupt) {
      SoftirqBytes += SizeBytes;
      SoftirqNone += Of.rule() == OwnerRule::None ? SizeBytes : 0;
    }
  }
  Attributed &operator+=(const Attributed &O);
};

/// A rule against what the page cache says itself: pages that were added.
struct PageTruth {
  uint64_t Pages = 0;
  uint64_t Said = 0;  ///< of these the rule said something
  uint64_t Right = 0; ///< and the right file
  double precision() const { return Said ? double(Right) / double(Said) : 0; }
  double recall() const { return Pages ? double(Right) / double(Pages) : 0; }
};

} // namespace kst
