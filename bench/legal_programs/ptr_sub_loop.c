// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  char *a;
  char *b;
  char *c;
  int z;
};
__attribute__((noinline)) void fr(struct s *p) {
  char **q;
  for (q = &p->a; q <= &p->c; q++)
    *q = 0;
}
int main() {
  struct s x = {.a = "1", .b = "2", .c = "3", .n = 4, .z = 5};
  fr(&x);
  return !(!x.a && !x.b && !x.c && x.n == 4 && x.z == 5);
}
