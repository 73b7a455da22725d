// SPDX-License-Identifier: GPL-2.0-or-later
//
// A length that is the size of a local array, which offsetof() gave.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u32 c;
  u64 d;
  char *e;
};
__attribute__((noinline)) void cp(struct s *p, struct s *q) {
  char buf[offsetof(struct s, d)];
  memcpy(buf, q, sizeof buf);
  memcpy(p, buf, sizeof(buf));
}
int main() {
  struct s x, y;
  memset(&x, 9, sizeof x);
  memset(&y, 8, sizeof y);
  cp(&x, &y);
  return !(x.a == y.a && x.b == y.b && x.c == y.c && x.d != y.d && x.e != y.e);
}
