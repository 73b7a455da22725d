// SPDX-License-Identifier: GPL-2.0-or-later
//
// Offsets from a constant table of numbers.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
static const int offs[] = {0, 4, 16, 20};
__attribute__((noinline)) u32 rd(struct s *p, int i) {
  return *(u32 *)((char *)p + offs[i]);
}
int main() {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 1) == 2 && rd(&x, 2) == 3);
}
