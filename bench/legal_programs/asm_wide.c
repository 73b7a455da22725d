// SPDX-License-Identifier: GPL-2.0-or-later
// An instruction that writes more than its operand.

#include "program.h"

struct s {
  u64 lo;
  u64 hi;
  u32 d;
  u64 z;
};
__attribute__((noinline)) void clr(struct s *p) {
  __asm__ volatile("pxor %%xmm0,%%xmm0; movups %%xmm0, %0"
                   : "+m"(p->lo)::"xmm0", "memory");
}
int main() {
  struct s x = {.lo = 1, .hi = 2, .d = 3, .z = 4};
  clr(&x);
  return !(!x.lo && !x.hi && x.d == 3 && x.z == 4);
}
