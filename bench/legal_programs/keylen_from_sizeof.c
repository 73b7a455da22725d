// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct key {
  u32 s;
  u32 d;
};
struct s {
  u32 saddr;
  u32 daddr;
  u16 sp;
  u16 dp;
  u64 cnt;
};
__attribute__((noinline)) int eq(struct s *a, struct key *k) {
  return !memcmp(&a->saddr, k, sizeof *k);
}
int main(void) {
  struct s a = {.saddr = 1, .daddr = 2, .cnt = 9};
  struct key k = {1, 2};
  return !eq(&a, &k);
}
