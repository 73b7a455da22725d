// SPDX-License-Identifier: GPL-2.0-or-later
//
// What happens to each object: who has it, and through which functions it goes.

#pragma once

#include "hybrid/cache/LineTable.h"
#include "hybrid/dprof/DataProfile.h"

namespace kst {

/// A step is a function that works on an object and has not done so since the
/// object last changed its CPU. So loops are one step for each of their
/// functions, and a path tells in which order functions first got the object.
///
/// Memory grows with the objects that live at one time, and with steps: at most
/// MostNodes, no path longer than MostSteps, and no type more than its part.
class ObjectHistories {
public:
  static constexpr uint32_t MostNodes = 1 << 18, MostNodesOfType = 1 << 14,
                            MostSteps = 96;

  /// `SizeBytes`: of the objects of each type.
  explicit ObjectHistories(std::vector<uint32_t> SizeBytes);

  struct Identity {
    uint64_t Address, Number; ///< as in TracePlace
    uint32_t Type;
    uint32_t SizeBytes; ///< 0: not known
  };
  struct Step {
    uint32_t Function; ///< a text of the trace
    unsigned Cpu;
    uint32_t OffsetBytes, SizeBytes;
    bool Loads, Stores;
  };
  /// The object comes to life. One that was there is gone.
  void begin(const Identity &Of, const Step &By);
  void access(const Identity &Of, const Step &By);
  void end(const Identity &Of, const Step &By);

  /// Calls Take(Type, Address, SizeBytes) for each object that was accessed,
  /// was not freed, and whose allocation the trace does not have.
  template <typename F> void forEachOld(F &&Take) const {
    for (const Object &Of : Objects)
      if (Of.Type != Free && !Of.Number)
        Take(Of.Type, Of.Address, Of.SizeBytes);
  }
  size_t objects() const { return Objects.size() - FreeRows.size(); }
  /// Forgets objects with a number of which `IsGone(Address, Number)`.
  template <typename F> void forget(F &&IsGone) {
    for (uint32_t Row = 0; Row < Objects.size(); ++Row)
      if (const Object &Of = Objects[Row];
          Of.Type != Free && Of.Number && IsGone(Of.Address, Of.Number))
        close(Row, false);
  }

  /// Into the rows of the profile. `Texts`: of the trace. Closes all objects.
  void finish(const std::vector<std::string> &Texts,
              std::vector<TypeRow> &Types);

private:
  static constexpr uint32_t Free = ~0u, NoFunction = ~0u;
  struct Object {
    uint64_t Address, Number;
    uint32_t Type = Free, SizeBytes = 0;
    uint32_t Tip = 0;     ///< the last step of its path
    uint32_t Current = 0; ///< the step whose function has it now
    uint32_t Function = NoFunction;
    uint16_t Cpu = 0, Steps = 0;
    bool Begun = false; ///< some CPU has had it
    bool Accessed = false, Moved = false, Cut = false;
  };
  struct Node {
    uint32_t Parent = 0, Function = NoFunction;
    uint32_t Type = 0;
    bool OtherCpu = false, Seen = false;
    uint64_t Objects = 0, Ended = 0, Cut = 0, Loads = 0, Stores = 0,
             Touched = 0;
  };
  struct OfType {
    uint32_t Roots[2] = {0, 0}; ///< nodes from 1; 0: none yet
    uint32_t Nodes = 0, GrainShift = 3;
    uint64_t Objects = 0, Moved = 0, Moves = 0, Cut = 0;
  };

  static uint64_t key(const Identity &Of);
  bool isIn(const Identity &Of, uint32_t Row) const {
    const Object &There = Objects[Row];
    return There.Address == Of.Address && There.Type == Of.Type &&
           There.Number == Of.Number;
  }
  uint32_t open(const Identity &Of, bool Seen);
  uint32_t rowOf(const Identity &Of);
  void close(uint32_t Row, bool Freed);
  void move(Object &Of, const Step &By);
  void enter(Object &Of, const Step &By, bool Moved);
  uint32_t child(Object &Of, uint32_t Function, bool OtherCpu);

  std::vector<Object> Objects;
  std::vector<uint32_t> FreeRows;
  LineTable<uint32_t> Rows; ///< [key()]: row of Objects from 1
  uint32_t Latest = 0;      ///< row of the latest access
  std::vector<Node> Nodes = std::vector<Node>(1);
  LineTable<uint32_t> Children; ///< node from 1
  std::vector<OfType> Types;
};

} // namespace kst
