// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whose accesses say nothing about whether there is an object: an allocator's,
// which links, fills and checks free slots, and those of what it calls for
// that.

#ifndef KST_HYBRID_TRACE_ALLOCATORCODE_H
#define KST_HYBRID_TRACE_ALLOCATORCODE_H

#include <string_view>

namespace kst {

/// Whether a file of the kernel's source is of the slab allocator or has
/// functions such as memset(), which it calls like everybody else. `File`: from
/// the top of the source.
inline bool isAllocatorCode(std::string_view File) {
  return File.starts_with("mm/slub.") || File.starts_with("mm/slab") ||
         File.starts_with("mm/kasan/") || File.starts_with("mm/kmsan/") ||
         File.starts_with("mm/kfence/") || File == "lib/string.c" ||
         (File.starts_with("arch/") && File.find("/lib/mem") != File.npos);
}

} // namespace kst

#endif
