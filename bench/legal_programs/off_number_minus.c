// SPDX-License-Identifier: GPL-2.0-or-later
//
// From the end of the record as a number back.
// OPAQUE: rd

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

__attribute__((noinline)) u32 rd(struct s *p, unsigned long at) {
  unsigned long e = (unsigned long)(p + 1);
  return *(u32 *)(e - at);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 4);
}
