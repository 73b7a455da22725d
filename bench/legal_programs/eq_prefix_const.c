// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#define KEYLEN 12
struct s {
  u32 saddr;
  u32 daddr;
  u16 sp;
  u16 dp;
  u64 cnt;
  int v;
};
__attribute__((noinline)) int eq(struct s *a, struct s *b) {
  return !memcmp(a, b, KEYLEN);
}
int main(void) {
  struct s a = {.saddr = 1, .daddr = 2, .cnt = 9},
           b = {.saddr = 1, .daddr = 2, .cnt = 10, .v = 7};
  return !eq(&a, &b);
}
