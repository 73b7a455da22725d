// SPDX-License-Identifier: GPL-2.0-or-later
// Assembly adds a register to the address.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(struct s *p, unsigned long n) {
#ifdef __x86_64__
  u32 v;
  __asm__ volatile("movl (%1,%2), %0" : "=r"(v) : "r"(p), "r"(n) : "memory");
  return v;
#else
  return n == 4 ? p->b : p->c;
#endif
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 2 && rd(&x, 16) == 3);
}
