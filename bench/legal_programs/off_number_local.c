// SPDX-License-Identifier: GPL-2.0-or-later
//
// A pointer becomes a number in a variable, and an offset is added there.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(struct s *p, unsigned long at) {
  unsigned long base = (unsigned long)p;
  base += at;
  return *(u32 *)base;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 2 && rd(&x, 16) == 3);
}
