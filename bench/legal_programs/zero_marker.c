// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 q;
  char start[0];
  u32 a;
  u32 b;
  char end[0];
  int v;
  char *n;
};
int main(void) {
  struct s x;
  memset(&x, 7, sizeof x);
  memset(x.start, 0, x.end - x.start);
  return !(x.a == 0 && x.b == 0 && x.v && x.q && x.n);
}
