// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the copy of the runtime in another file of the process calls in this
// one. Apart from its callers: a compiler that sees both would inline the
// call, and each copy would be told about its own file only.

#include "Internal.h"

KST_PUBLIC void __kst_rt_load(const struct kst_object *objects, size_t n) {
  struct kst_guard guard;
  kst_lock(&guard);
  kst_init();
  kst_objects_load(objects, n);
  kst_unlock(&guard);
}

KST_PUBLIC void __kst_rt_unload(const char *low, const char *high,
                                const struct kst_object *objects, size_t n) {
  struct kst_guard guard;
  kst_lock(&guard);
  kst_forget_units(low, high);
  kst_objects_unload(objects, n);
  if (kst_process.finalized)
    kst_dump_final();
  kst_unlock(&guard);
}
