/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread takes and drops references to entries that another one looks up.
 */
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
