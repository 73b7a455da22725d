// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the tree of all paths to the rows that are shown of it.

#include "hybrid/dprof/DescribeParts.h"

#include <algorithm>

namespace kst {
namespace {

class Steps {
public:
  Steps(const Flow &Of, double Least, size_t Most)
      : Of(Of), Least(Least), Most(Most), Children(Of.Nodes.size()) {
    for (uint32_t N = 0; N < Of.Nodes.size(); ++N)
      if (Of.Nodes[N].Parent != N)
        Children[Of.Nodes[N].Parent].push_back(N);
    for (auto &Row : Children)
      std::stable_sort(Row.begin(), Row.end(), [&](uint32_t A, uint32_t B) {
        return Of.Nodes[A].Objects > Of.Nodes[B].Objects;
      });
  }

  FlowSteps from(uint32_t Root) {
    std::vector<std::pair<uint32_t, uint32_t>> Todo = {{Root, 0}};
    while (!Todo.empty()) {
      const auto [Node, Parent] = Todo.back();
      Todo.pop_back();
      if (Out.Rows.size() >= Most) {
        ++Out.LeftOut;
        continue;
      }
      const uint32_t Last = add(Node, Parent);
      const uint32_t Row = uint32_t(Out.Rows.size() - 1);
      const auto &Next = Children[Last];
      for (size_t I = Next.size(); I-- > 0;)
        if (double(Of.Nodes[Next[I]].Objects) >= Least)
          Todo.push_back({Next[I], Row});
        else
          ++Out.LeftOut;
    }
    return std::move(Out);
  }

private:
  /// A row for the node and those that all its objects go on to; returns the
  /// last of them.
  uint32_t add(uint32_t Node, uint32_t Parent) {
    const bool Root = Of.Nodes[Node].Parent == Node;
    FlowStep Row;
    Row.Parent = Root ? 0 : Parent;
    Row.Depth = Root ? 0 : Out.Rows[Parent].Depth + 1;
    Row.OtherCpu = Of.Nodes[Node].OtherCpu;
    Row.Objects = Of.Nodes[Node].Objects;
    for (;;) {
      const FlowNode &At = Of.Nodes[Node];
      if (At.Parent != Node)
        Row.Functions.push_back(At.Function);
      Row.Loads += At.Loads;
      Row.Stores += At.Stores;
      Row.Touched |= At.Touched;
      Row.Ended = At.Ended;
      Row.Cut = At.Cut;
      const uint32_t Next = Children[Node].empty() ? Node : Children[Node][0];
      if (Root || Next == Node || Of.Nodes[Next].OtherCpu ||
          Of.Nodes[Next].Objects != At.Objects)
        break;
      Node = Next;
    }
    Out.Rows.push_back(std::move(Row));
    return Node;
  }

  const Flow &Of;
  const double Least;
  const size_t Most;
  std::vector<std::vector<uint32_t>> Children;
  FlowSteps Out;
};

} // namespace

FlowSteps flowSteps(const Flow &Of, bool Seen, double LeastShare, size_t Most) {
  for (uint32_t N = 0; N < Of.Nodes.size(); ++N) {
    const FlowNode &Root = Of.Nodes[N];
    if (Root.Parent == N && Root.Seen == Seen)
      return Steps(Of, std::max(1.0, LeastShare * double(Root.Objects)), Most)
          .from(N);
  }
  return {};
}

std::vector<Sentence> touchedBytes(uint64_t Touched, uint32_t GrainBytes) {
  std::vector<Sentence> Out;
  for (unsigned Bit = 0; Bit < 64;) {
    if (!(Touched >> Bit & 1)) {
      ++Bit;
      continue;
    }
    const unsigned Begin = Bit;
    while (Bit < 64 && Touched >> Bit & 1)
      ++Bit;
    Out.push_back(std::to_string(Begin * GrainBytes) + "-" +
                  (Bit == 64 ? std::string("end")
                             : std::to_string(Bit * GrainBytes - 1)));
  }
  return Out;
}

} // namespace kst
