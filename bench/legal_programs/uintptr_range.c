// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 c;
  char *d;
};
__attribute__((noinline)) void clr(struct s *p) {
  char *q = (char *)p + sizeof(p->a);
  memset(q, 0, sizeof(*p) - sizeof(p->a));
}
int main() {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = ""};
  clr(&x);
  return !(x.a == 1 && !x.b && !x.c && !x.d);
}
