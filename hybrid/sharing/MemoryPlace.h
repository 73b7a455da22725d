// SPDX-License-Identifier: GPL-2.0-or-later
//
// What memory an expression of a thread's code means, as far as the source
// tells: which variable, allocation or object behind a pointer, which member,
// and whether each thread means another one.

#pragma once

#include "hybrid/program/Program.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kst {

/// How a number or an object differs between threads that run the same code.
enum class Differs : uint8_t {
  Same,     ///< all have this one
  ByThread, ///< each has another one
  Any,      ///< not known, or it changes from access to access
};

/// One step from an object into it.
struct PlaceStep {
  RecordId Record = None; ///< a member of this; None: an element
  uint32_t Field = 0;
  Differs Index = Differs::Any;
  int64_t Number = 0;       ///< of an element, where Index is Same
  uint32_t StrideBytes = 0; ///< from element to element; 0: not known
  bool isElement() const { return Record == None; }
  auto operator<=>(const PlaceStep &) const = default;
};

struct MemoryPlace {
  enum Kind : uint8_t {
    Variable, ///< with static storage
    Local,    ///< of a function that starts threads
    Own,      ///< a variable of which each thread has its own
    Heap,     ///< of one allocating call
    Pointee,  ///< what a pointer leads to
  } Root = Variable;
  std::string Key;         ///< tells roots apart
  std::string Name;        ///< for people; "": none is known
  bool ByThread = false;   ///< each thread has another object
  bool InThread = false;   ///< that it makes itself
  uint32_t AlignBytes = 0; ///< as it was allocated; 0: as malloc() does
  uint64_t BlockBytes = 0; ///< of an allocation; 0: not known
  std::vector<PlaceStep> Steps;

  /// Whether each thread means other bytes of it.
  bool differs() const {
    if (ByThread)
      return true;
    for (const PlaceStep &Step : Steps)
      if (Step.isElement() && Step.Index == Differs::ByThread)
        return true;
    return false;
  }
  auto operator<=>(const MemoryPlace &) const = default;
};

/// What an expression gives.
struct PlaceValue {
  enum Kind : uint8_t { Unknown, Number, Address, Code } What = Unknown;
  Differs Index = Differs::Any; ///< of a number, or of what is used as one
  int64_t Constant = 0;         ///< of a number that is the Same
  MemoryPlace At;               ///< of an address
  FunctionId Function = None;   ///< of code
  auto operator<=>(const PlaceValue &) const = default;
};

/// One call of a function: what its parameters are, and the loops whose
/// variables differ by thread, as each iteration starts one.
struct CallFrame {
  FunctionId Function = None;
  std::vector<PlaceValue> Params;
  std::vector<uint32_t> ThreadLoops = {};
  /// It runs in a thread: what it makes, another thread has of its own.
  bool InThread = false;
  /// What expressions gave, by number; empty it when the rest changes.
  mutable std::map<ValueId, PlaceValue> Known = {};
};

/// Evaluates expressions. Borrows the program; of one thread, as it remembers.
class PlaceEvaluator {
public:
  explicit PlaceEvaluator(const Program &Whole);

  PlaceValue value(const CallFrame &In, ValueId Local) const {
    return value(In, Local, 0);
  }
  /// The loops around a block, innermost first.
  std::vector<uint32_t> loopsAround(FunctionId In, uint32_t Block) const;

private:
  struct Stored {
    FunctionId In;
    const StoreFact *Fact;
  };

  PlaceValue value(const CallFrame &In, ValueId Local, unsigned Depth) const;
  PlaceValue evaluated(const CallFrame &In, ValueId Local,
                       unsigned Depth) const;
  PlaceValue joined(const CallFrame &In, const ValueFact &Of,
                    unsigned Depth) const;
  PlaceValue loaded(const CallFrame &In, ValueId Address, unsigned Depth) const;
  PlaceValue contents(const MemoryPlace &Of, unsigned Depth) const;
  PlaceValue stored(const MemoryPlace &Of, unsigned Depth) const;
  Differs ownNumber(const MemoryPlace &Of) const;
  PlaceValue called(const CallFrame &In, uint32_t Index, unsigned Depth) const;
  const ValueFact &fact(FunctionId In, ValueId Local) const {
    return Whole.unitOf(In)
        .Values[Whole.Functions[In].Fact->Values.Begin + Local];
  }
  std::string pointerName(const MemoryPlace &Of) const;
  void collectStores();
  std::string localKey(FunctionId In, uint32_t Serial) const;

  const Program &Whole;
  std::map<std::string, std::vector<Stored>>
      OfVariables; ///< and locals, by key
  std::map<std::pair<RecordId, uint32_t>, std::vector<Stored>> OfMembers;
  /// Variables of each thread's own that are added to.
  std::set<std::string> Counting;
  mutable std::map<MemoryPlace, PlaceValue> Contents;
};

} // namespace kst
