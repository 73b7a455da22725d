// SPDX-License-Identifier: GPL-2.0-or-later
//
// A length in a member, of the compiler in one place and another in the next.
// KNOWN: members that hold more than one length

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

struct buf {
  void *p;
  size_t n;
};
__attribute__((noinline)) void cp(void *to, struct buf *b) {
  memcpy(to, b->p, b->n);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4}, y = {.d = 7}, w;
  struct buf b = {&x, sizeof x};
  cp(&w, &b);
  b.n = 8;
  cp(&y, &b);
  return !(y.d == 7 && y.b == 2 && w.d == 4 && use(&x));
}
