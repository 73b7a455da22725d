// SPDX-License-Identifier: GPL-2.0-or-later
// A pointer that is kept as one to bytes.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct slot {
  u8 *any;
};
__attribute__((noinline)) void keep(struct slot *k, struct s *p) { k->any = (u8 *)p; }
__attribute__((noinline)) u32 first(struct slot *k) { return ((struct s *)k->any)->a; }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct slot k;
  keep(&k, &x);
  return first(&k) != 1;
}
