// SPDX-License-Identifier: GPL-2.0-or-later
//
// A pointer is passed as a number.
// KNOWN: pointers that are passed as numbers

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
extern long atol_(const char *);
__attribute__((noinline)) static u32 use(struct s *p) {
  return p->a + p->d + p->b + p->c + (u32)p->z;
}

__attribute__((noinline)) u32 rd(unsigned long base, unsigned long at) {
  return *(u32 *)(base + at);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd((unsigned long)&x, 4) == 2);
}
