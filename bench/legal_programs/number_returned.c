// SPDX-License-Identifier: GPL-2.0-or-later
//
// A pointer is returned as a number.
// KNOWN: pointers that are passed as numbers

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) static uintptr_t addr(struct s *p) {
  return (uintptr_t)p;
}
__attribute__((noinline)) u32 rd(struct s *p, unsigned long at) {
  return *(u32 *)(addr(p) + at);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 2);
}
