// SPDX-License-Identifier: GPL-2.0-or-later
//
// One caller gives an offset of the compiler, another a variable.
// OPAQUE: rd

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) static u32 use(struct s *p) {
  return p->a + p->d + p->b + p->c + (u32)p->z;
}

__attribute__((noinline)) u32 rd(struct s *p, unsigned offset) {
  return *(u32 *)((char *)p + offset);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  unsigned k = 4;
  return !(rd(&x, offsetof(struct s, d)) == 4 && rd(&x, k) == 2 && use(&x));
}
