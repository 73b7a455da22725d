// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes behind a member, by a length of the compiler and by another.
// OPAQUE: cp

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

__attribute__((noinline)) void cp(struct s *to, const struct s *from,
                                  size_t n) {
  memcpy(&to->b, &from->b, n);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4}, y = {0}, w = {0};
  cp(&w, &x, sizeof(x) - 4);
  cp(&y, &x, 4);
  return !(y.b == 2 && w.d == 4 && use(&x));
}
