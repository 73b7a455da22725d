// SPDX-License-Identifier: GPL-2.0-or-later
//
// Calls of allocators in a kernel's code that make a struct, known before the
// kernel runs.

#ifndef KST_HYBRID_PIPELINE_ALLOCATINGCALLS_H
#define KST_HYBRID_PIPELINE_ALLOCATINGCALLS_H

#include "passes/readers/KernelImage.h"

namespace kst {

/// A function that allocates one object and tells who called it.
struct Allocator {
  std::string Function;
  bool FromCache = false; ///< all objects of its cache are of a kind
};

/// The kernel's own, of all versions.
std::vector<Allocator> kernelAllocators();

/// A call that makes a struct when it asks for that many bytes.
struct AllocatingCall {
  uint64_t ReturnAddress = 0;
  uint64_t LeastBytes = 0, MostBytes = 0; ///< inclusive
  bool FromCache = false;
  bool operator==(const AllocatingCall &) const = default;
};

/// For each struct the direct calls, by address, whose result is kept in a
/// pointer to it or to a large struct that it begins with (AllocatedTypes.h).
/// Calls whose result has no such variable, and those of modules, are missing.
llvm::Expected<std::map<std::string, std::vector<AllocatingCall>>>
allocatingCalls(const KernelImage &Image,
                const std::vector<Allocator> &Allocators,
                const std::set<std::string> &Structs);

} // namespace kst

#endif
