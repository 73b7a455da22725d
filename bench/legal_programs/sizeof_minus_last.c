// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 c;
  char *d;
  u64 cold;
};
__attribute__((noinline)) void cp(struct s *p, struct s *q) {
  memcpy(p, q, sizeof(*p) - sizeof(p->cold));
}
int main() {
  struct s x, y;
  memset(&x, 9, sizeof x);
  memset(&y, 8, sizeof y);
  cp(&x, &y);
  return !(x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d &&
           x.cold != y.cold);
}
