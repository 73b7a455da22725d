// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which threads of a role get to the blocks of a function: branches on the
// number of a thread part them.

#pragma once

#include "hybrid/sharing/MemoryPlace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace kst {

/// Which threads of a role get to the blocks of a function, one bit each, by
/// what its branches ask of what it was given.
class ReachingThreads {
public:
  ReachingThreads(const Program &Whole, const PlaceEvaluator &Places)
      : Whole(Whole), Places(Places) {}

  std::vector<uint32_t> of(const CallFrame &In) const {
    const TuFacts &Facts = Whole.unitOf(In.Function);
    const FunctionFact &Fact = *Whole.Functions[In.Function].Fact;
    const auto Tests = rowsOf(Facts.Tests, Fact.Tests);
    std::vector<uint32_t> Reached(Fact.Blocks.size(), ~0u);
    if (Tests.empty() || Fact.Edges.size() == 0)
      return Reached;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> Open; // by edge
    for (const TestFact &Test : Tests)
      if (const auto Holds = holds(In, Test); Holds && Test.Then != Test.Else) {
        Open[{Test.Block, Test.Then}] = *Holds;
        Open[{Test.Block, Test.Else}] = ~*Holds;
      }
    if (Open.empty())
      return Reached;
    // Edges are by block, and blocks are numbered from the exit on.
    std::ranges::fill(Reached, 0u);
    Reached.back() = ~0u;
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (uint32_t I = Fact.Edges.End; I-- != Fact.Edges.Begin;) {
        const EdgeFact &Edge = Facts.Edges[I];
        auto It = Open.find({Edge.From, Edge.To});
        const uint32_t More =
            Reached[Edge.From] & (It == Open.end() ? ~0u : It->second);
        Changed |= (More & ~Reached[Edge.To]) != 0;
        Reached[Edge.To] |= More;
      }
    }
    return Reached;
  }

private:
  /// For which threads the test holds; none: not known.
  std::optional<uint32_t> holds(const CallFrame &In,
                                const TestFact &Test) const {
    const PlaceValue Of = Places.value(In, Test.Value);
    if (Of.What != PlaceValue::Number || Of.Index == Differs::Any)
      return std::nullopt;
    uint32_t Bits = 0;
    for (uint32_t T = 0; T != 32; ++T) {
      int64_t Number = Of.Index == Differs::ByThread ? T : Of.Constant;
      if (Test.Modulus)
        Number %= Test.Modulus;
      Bits |= uint32_t(compare(Number, Test.Kind, Test.With)) << T;
    }
    // How many threads there are is not known: what parts none of the first
    // ones may part others.
    constexpr uint32_t FirstOnes = 15;
    if (Of.Index == Differs::ByThread &&
        ((Bits & FirstOnes) == 0 || (Bits & FirstOnes) == FirstOnes))
      return std::nullopt;
    return Bits;
  }

  static bool compare(int64_t A, TestKind Kind, int64_t B) {
    switch (Kind) {
    case TestKind::Equal:
      return A == B;
    case TestKind::Unequal:
      return A != B;
    case TestKind::Less:
      return A < B;
    case TestKind::Greater:
      return A > B;
    case TestKind::AtMost:
      return A <= B;
    case TestKind::AtLeast:
      return A >= B;
    }
    return false;
  }

  const Program &Whole;
  const PlaceEvaluator &Places;
};

} // namespace kst
