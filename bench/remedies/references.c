/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References are taken beside what every lookup reads. */
#include "run.h"

struct entry {
  void *next;
  unsigned long key;
  long references;
  const char *name;
  long flags;
  char payload[96];
};
struct entry *entries;

void take(long rounds) {
  for (long i = 0; i < rounds; i++) {
    struct entry *e = &entries[i & 7];
    __atomic_fetch_add(&e->references, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&e->references, 1, __ATOMIC_RELAXED);
  }
}
void look_up(long rounds) {
  long found = 0;
  for (long i = 0; i < rounds; i++) {
    struct entry *e = &entries[i & 7];
    found += __atomic_load_n(&e->key, __ATOMIC_RELAXED) == (unsigned long)i &&
             __atomic_load_n(&e->flags, __ATOMIC_RELAXED);
  }
  entries[0].payload[0] = (char)found;
}
int main(void) {
  entries = aligned_alloc(128, 8 * 256);
  memset(entries, 0, 8 * 256);
  return run_both(take, look_up, 10000000);
}
