// SPDX-License-Identifier: GPL-2.0-or-later
//
// How sites travel through the optimiser. A marker is a call to
// llvm.var.annotation with a number of a segment: it writes memory that
// nothing else can see, so that it runs exactly as often as the source says,
// costs nothing in the inliner's model, and is copied with the code around it.
// `nomerge` keeps SimplifyCFG from making one of two. What the numbers mean is
// kept in named metadata, so that the two halves of the plugin share no memory
// and the code can be written out and read back between them.

#ifndef KST_PASSES_COUNTERS_MARKERS_H
#define KST_PASSES_COUNTERS_MARKERS_H

#include "passes/counters/Accesses.h"

namespace kst::counters {

/// Does control come back from this instruction, if it comes to it? Without
/// CallsReturn, calls that may exit, throw or jump away do not.
bool comesBack(const llvm::Instruction &I, bool CallsReturn);

/// Puts markers for these accesses and the entry of the function: one for each
/// stretch of a block from which control does not leave. Adds segments.
/// WithPointers: one marker for each access, which holds its pointer.
void placeMarkers(llvm::Function &F, const FunctionAccesses &Accesses,
                  bool CallsReturn, bool WithPointers, SiteTable &Table);

/// The segment of a marker, or -1 for any other instruction.
int64_t markedSegment(const llvm::Instruction &I);
/// What the marker's access points to, or null.
llvm::Value *markedPointer(const llvm::Instruction &I);

void writeTable(llvm::Module &M, const SiteTable &Table);
/// The table, and removes it from the module. False: there is none.
bool takeTable(llvm::Module &M, SiteTable &Table);
/// Removes the declarations that markers needed, once the last one is gone.
void removeMarkerDeclarations(llvm::Module &M);

} // namespace kst::counters

#endif
