// SPDX-License-Identifier: GPL-2.0-or-later
//
// The address of a member as a number, and a raw offset added to it.
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
  uintptr_t base;
  base = (uintptr_t)&p->a;
  return *(u32 *)(at + base);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 2);
}
