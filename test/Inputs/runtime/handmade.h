/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code as the pass makes it, by hand: UNIT(name, hash, n) defines
 * name_count(i). Adds are atomic only so that sanitizers accept that the dump
 * reads counters of running threads. */
#include "passes/abi/kst_abi.h"
#include "passes/runtime/kst.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __kst_rt_attach(const struct kst_unit *, struct kst_block *);
void __kst_rt_flush(void);
void __kst_trace(struct kst_unit *, kst_u32, const void *);

__attribute__((weak, visibility("hidden"))) const char __kst_counted = 0;

#define UNIT(NAME, HASH, N)                                                    \
  static struct kst_unit NAME##_unit = {HASH, 0, N, 16, 0, KST_USER_VERSION};  \
  static __thread struct {                                                     \
    struct kst_block block;                                                    \
    kst_u64 counters[N];                                                       \
  } NAME##_block = {.counters = {[0 ...(N) - 1] = ~0ull}};                     \
  static inline void NAME##_count(int i) {                                     \
    if (!NAME##_block.block.attached)                                          \
      __kst_rt_attach(&NAME##_unit, &NAME##_block.block);                      \
    __atomic_fetch_add(&NAME##_block.counters[i], 1, __ATOMIC_RELAXED);        \
  }

#define CHECK(X)                                                               \
  ((X) ? (void)0                                                               \
       : (fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #X,           \
                  strerror(errno)),                                            \
          abort()))
