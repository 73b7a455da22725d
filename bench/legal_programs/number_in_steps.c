// SPDX-License-Identifier: GPL-2.0-or-later
//
// A number that was a pointer grows in a loop.
// KNOWN: sums that a loop makes

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

__attribute__((noinline)) u32 rd(struct s *p, int n) {
  unsigned long base = (unsigned long)p;
  u32 m = 0;
  while (n--) {
    m += *(u32 *)base;
    base += 4;
  }
  return m;
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 2) == 3);
}
