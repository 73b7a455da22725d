// SPDX-License-Identifier: GPL-2.0-or-later
//
// The shape of a function's control flow without its statements: edges,
// order, dominators and natural loops. Built once per function and shared by
// the branch heuristics and the frequency solver. clang's own dominator tree
// allocates per node; with some three thousand small functions in a kernel
// translation unit, flat arrays are what keeps this off the profile.

#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace kst {

/// One edge of the control flow graph that can be taken.
struct FlowEdge {
  uint32_t From = 0, To = 0; ///< CFGBlock::getBlockID()
  uint32_t Slot = 0;         ///< position in CFGBlock::succs()
  bool Back = false;         ///< To dominates From
  bool Irreducible = false;  ///< goes backwards without To dominating From
};

/// All back edges to one header together.
struct NaturalLoop {
  uint32_t Header = 0;   ///< block
  uint32_t Parent = ~0u; ///< index of the enclosing loop, or ~0u
  uint32_t Depth = 1;    ///< 1: outermost
  bool Goto = false;     ///< every back edge is a goto
  const clang::Stmt *Statement = nullptr; ///< for, while, do, or null
  std::vector<uint32_t> Blocks;           ///< in order(), Header first
};

/// Immutable once built; refers to the CFG only through statements. Blocks
/// that cannot be reached appear in no edge, loop or order.
class LoopForest {
public:
  LoopForest(const clang::CFG &Graph, const clang::ASTContext &Context);

  /// Reachable blocks in reverse postorder, the entry first.
  llvm::ArrayRef<uint32_t> order() const { return Order; }
  uint32_t blockCount() const { return Position.size(); }
  bool reachable(uint32_t Block) const { return Position[Block] != ~0u; }
  /// By source block; edges of one block are neighbours, in slot order.
  llvm::ArrayRef<FlowEdge> edges() const { return Edges; }
  llvm::ArrayRef<FlowEdge> outgoing(uint32_t Block) const;
  /// Index in edges() of the first edge of Block.
  uint32_t firstEdge(uint32_t Block) const { return FirstEdge[Block]; }
  /// Indices into edges().
  llvm::ArrayRef<uint32_t> incoming(uint32_t Block) const;

  bool dominates(uint32_t Above, uint32_t Below) const;
  bool irreducible() const { return HasIrreducible; }

  /// Outer loops before the loops in them, else in order of their headers.
  llvm::ArrayRef<NaturalLoop> loops() const { return Loops; }
  /// Innermost loop of a block, or ~0u.
  uint32_t innermost(uint32_t Block) const { return Innermost[Block]; }
  /// Whether Block lies in Loop or in a loop within it.
  bool contains(uint32_t Loop, uint32_t Block) const;

private:
  void collectEdges(const clang::CFG &Graph, const clang::ASTContext &Context);
  void sortBlocks(const clang::CFG &Graph);
  void findDominators(uint32_t Entry);
  void findLoops(const clang::CFG &Graph);

  std::vector<uint32_t> Order;
  std::vector<uint32_t> Position; ///< by block: index in Order, or ~0u
  std::vector<FlowEdge> Edges;
  std::vector<uint32_t> FirstEdge; ///< by block, one more than blocks
  std::vector<uint32_t> Incoming, FirstIncoming;
  std::vector<uint32_t> Dominator; ///< by position: position
  std::vector<NaturalLoop> Loops;
  std::vector<uint32_t> Innermost;
  bool HasIrreducible = false;
};

/// Whether Loc comes out of a macro, at any depth of expansion, whose name
/// Accept takes. Names are tried from the innermost outwards.
bool expandsFrom(clang::SourceLocation Loc, const clang::ASTContext &Context,
                 llvm::function_ref<bool(llvm::StringRef)> Accept);

/// The kernel's `scoped_guard()` and its like: a `for` or `if` spelled only
/// to give a lock a scope (include/linux/cleanup.h).
bool isScopeMacro(clang::SourceLocation Loc, const clang::ASTContext &Context);

} // namespace kst
