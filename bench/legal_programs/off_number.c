// SPDX-License-Identifier: GPL-2.0-or-later
// The sum is one of numbers.
// OPAQUE: at

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 at(struct s *p, unsigned long n) {
  return *(u32 *)((unsigned long)p + n);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(at(&x, 4) == 2 && at(&x, 16) == 3);
}
