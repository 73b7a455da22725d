// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int k;
  u32 seq __attribute__((aligned(8)));
  u32 cnt;
  u64 d;
  int e;
};
__attribute__((noinline)) u64 ld(struct s *p) {
  return __atomic_load_n((u64 *)&p->seq, __ATOMIC_RELAXED);
}
int main() {
  struct s x = {.seq = 1, .cnt = 2, .d = 9, .k = 8, .e = 7};
  return ld(&x) != (1 | (2ull << 32));
}
