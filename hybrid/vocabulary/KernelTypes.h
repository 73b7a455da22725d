// SPDX-License-Identifier: GPL-2.0-or-later
//
// Kernel-wide type names: what is a lock, what is an atomic counter. Listed
// in docs/method.md.

#ifndef KST_HYBRID_VOCABULARY_KERNELTYPES_H
#define KST_HYBRID_VOCABULARY_KERNELTYPES_H

#include <string_view>

namespace kst {

/// By struct tag or typedef name, as in include/linux/{spinlock,mutex,...}.h.
inline bool isLockType(std::string_view Name) {
  for (std::string_view Known : {"raw_spinlock",
                                 "spinlock",
                                 "raw_spinlock_t",
                                 "spinlock_t",
                                 "qspinlock",
                                 "arch_spinlock_t",
                                 "rwlock_t",
                                 "qrwlock",
                                 "mutex",
                                 "rt_mutex",
                                 "rt_mutex_base",
                                 "rw_semaphore",
                                 "semaphore",
                                 "seqcount",
                                 "seqlock_t",
                                 "seqcount_spinlock",
                                 "seqcount_raw_spinlock",
                                 "seqcount_mutex",
                                 "percpu_rw_semaphore",
                                 "local_lock_t",
                                 "lockref"})
    if (Name == Known)
      return true;
  return false;
}

inline bool isAtomicType(std::string_view Name) {
  for (std::string_view Known : {"atomic_t", "atomic64_t", "atomic_long_t",
                                 "refcount_struct", "kref", "local_t"})
    if (Name == Known)
      return true;
  return false;
}

} // namespace kst

#endif
