// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 saddr;
  u32 daddr;
  u16 sp;
  u16 dp;
  u64 cnt;
  int v;
};
__attribute__((noinline)) u32 hash(const void *k, int len) {
  const u8 *p = k;
  u32 h = 0;
  while (len--)
    h = h * 31 + *p++;
  return h;
}
__attribute__((noinline)) u32 h(struct s *p) { return hash(p, 12); }
int main(void) {
  struct s a = {.saddr = 1, .daddr = 2, .cnt = 9},
           b = {.saddr = 1, .daddr = 2, .cnt = 10, .v = 7};
  return h(&a) != h(&b);
}
