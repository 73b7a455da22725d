// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u32 c;
  u64 d;
  char *e;
};
enum { CLR = offsetof(struct s, d) - offsetof(struct s, b) };
__attribute__((noinline)) void clr(struct s *p, void *q) { memset(q, 0, CLR); }
int main() {
  struct s x;
  memset(&x, 9, sizeof x);
  clr(&x, (char *)&x + offsetof(struct s, b));
  return !(x.a && !x.b && !x.c && x.d && x.e);
}
