// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 c;
  char *d;
  int e;
};
__attribute__((noinline)) void clr(struct s *p) { *(u64 *)&p->a = 0; }
int main() {
  struct s x;
  x.a = 1;
  x.b = 2;
  x.c = 3;
  x.d = "";
  x.e = 5;
  clr(&x);
  return !(x.a == 0 && x.b == 0 && x.c == 3 && x.e == 5 && x.d);
}
