// SPDX-License-Identifier: GPL-2.0-or-later
//
// The length of a key is in a variable.
// OPAQUE: eq

#include "program.h"

struct s {
  u32 saddr;
  u32 daddr;
  u16 sp;
  u16 dp;
  u64 cnt;
  int v;
};
struct tab {
  size_t keylen;
};
__attribute__((noinline)) int eq(struct tab *t, void *a, void *b) {
  return !memcmp(a, b, t->keylen);
}
int main(void) {
  struct tab t = {.keylen = 12};
  struct s a = {.saddr = 1, .daddr = 2, .cnt = 9},
           b = {.saddr = 1, .daddr = 2, .cnt = 10, .v = 7};
  return !eq(&t, &a, &b);
}
