// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 h;
  char a[8];
  char b[8];
  int n;
};
__attribute__((noinline)) void wipe(struct s *p) {
  char *c = p->a;
  while (c < p->b + sizeof(p->b))
    *c++ = 0;
}
int main(void) {
  struct s v;
  memset(&v, 7, sizeof v);
  wipe(&v);
  return !(v.a[0] == 0 && v.b[7] == 0 && v.n && v.h);
}
