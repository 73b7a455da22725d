// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct pair {
  u32 lo, hi;
};
struct s {
  u64 c;
  u32 start;
  u32 end;
  char *d;
  int e;
};
__attribute__((noinline)) u64 sum(struct pair *p) { return p->lo + p->hi; }
int main() {
  struct s x;
  memset(&x, 9, sizeof x);
  x.start = 1;
  x.end = 2;
  return sum((struct pair *)&x.start) != 3;
}
