// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which structs a pointer points into, as far as the front end's code says:
// source types of getelementptr, types of globals and of local variables.

#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Dominators.h"

namespace kst::counters {

/// One struct that encloses the place a pointer names.
struct Enclosing {
  llvm::StructType *Type;
  uint64_t Offset;     ///< bytes from its start
  uint64_t ArrayBytes; ///< not 0: somewhere in an array of so many bytes that
                       ///< starts at Offset
  /// Where that offset is: Bytes from what Base is, of a getelementptr the
  /// place that its first Indices lead to.
  const llvm::Value *Base = nullptr;
  unsigned Indices = ~0u;
  int64_t Bytes = 0;
};

struct PointerPath {
  /// Innermost first, each struct object once.
  llvm::SmallVector<Enclosing, 4> Structs;
  /// Where the walk ended: an argument, a loaded pointer, a global ...
  const llvm::Value *Root = nullptr;
  /// The pointer was formed as the address of a member, not merely handed on.
  bool IsMember = false;
  bool Scattered = false; ///< a variable distance from Root
};

/// A local variable that is assigned once and whose address stays here: it is
/// another name for its value. The value, or null.
const llvm::Value *onlyValue(const llvm::Value *Variable);

/// A local variable whose address nobody else gets, as far as its function
/// tells.
bool isOwnLocal(const llvm::Value *Variable);

/// What a pointer that is no getelementptr was taken from: the local variable
/// that holds it, where that is assigned more than once. Equal origins of one
/// function are pointers to objects of one type, as far as C has types.
const llvm::Value *pointerOrigin(const llvm::Value *Pointer);

/// The address of the offset of `Of`, computed before `At`; null where values
/// that it takes are not known there.
llvm::Value *placeOf(const Enclosing &Of, llvm::Instruction &At,
                     const llvm::DominatorTree &Tree);

/// Walks up the getelementptrs of a pointer, also through a local variable
/// that is assigned once. SizeBytes of the access (0: not known): a struct that
/// the access exceeds does not enclose it.
PointerPath pointerPath(const llvm::Value *Pointer, uint64_t SizeBytes,
                        const llvm::DataLayout &Layout);

} // namespace kst::counters
