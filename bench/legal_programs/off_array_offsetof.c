// SPDX-License-Identifier: GPL-2.0-or-later
// The same in an array of numbers.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
static const unsigned offs[] = {offsetof(struct s, b), offsetof(struct s, d)};
__attribute__((noinline)) u32 rd(struct s *p, int i) { return *(u32 *)((char *)p + offs[i]); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 0) == 2 && rd(&x, 1) == 4);
}
