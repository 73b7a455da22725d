// SPDX-License-Identifier: GPL-2.0-or-later
//
// How sites travel through the optimiser. A marker is a call to
// llvm.var.annotation with a number of a segment: it writes memory that
// nothing else can see, so that it runs exactly as often as the source says,
// costs nothing in the inliner's model, and is copied with the code around it.
// `nomerge` keeps SimplifyCFG from making one of two. What the numbers mean is
// kept in named metadata, so that the two halves of the plugin share no memory
// and the code can be written out and read back between them.

#pragma once

#include "passes/counters/Accesses.h"

namespace kst::counters {

/// Does control come back from this instruction, if it comes to it? Without
/// CallsReturn, calls that may exit, throw or jump away do not.
bool comesBack(const llvm::Instruction &I, bool CallsReturn);

/// Puts markers for these accesses and the entry of the function: one for each
/// stretch of a block from which control does not leave, and one for each
/// access whose pointer matters, which holds the pointer. In a trace that is
/// also one to a local variable of which others have the address. Adds
/// segments.
void placeMarkers(llvm::Function &F, const FunctionAccesses &Accesses,
                  bool CallsReturn, bool Trace, SiteTable &Table);

/// The segment of a marker, or -1 for any other instruction.
int64_t markedSegment(const llvm::Instruction &I);
/// What the marker's access points to, or null.
llvm::Value *markedPointer(const llvm::Instruction &I);
/// Access::Place of the marker's access, or null.
llvm::Value *markedPlace(const llvm::Instruction &I);
/// The instruction behind a marker that stays when all markers go.
llvm::Instruction *behindMarkers(llvm::Instruction &Marker);
/// Makes a marker one of another segment, and without a pointer.
void resolveMarker(llvm::Instruction &I, uint32_t Segment);
/// Forgets the pointers that name local variables of the function: they are in
/// no selected object, and a marker that holds one keeps the variable in
/// memory. In a trace only of those that nobody else has the address of. True:
/// something changed.
bool releaseLocals(llvm::Function &F, bool Trace);

void writeTable(llvm::Module &M, const SiteTable &Table);
/// The table, and removes it from the module. False: there is none.
bool takeTable(llvm::Module &M, SiteTable &Table);
/// Removes the declarations that markers needed, once the last one is gone.
void removeMarkerDeclarations(llvm::Module &M);

} // namespace kst::counters
