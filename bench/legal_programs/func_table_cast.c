// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct A {
  int id;
  int z;
};
struct s {
  int id;
  int z;
  u64 q;
  char *n;
};
typedef int (*fn)(struct A *);
static int get(struct s *p) { return p->id * 10 + p->z; }
static fn tab[] = {(fn)get};
int main(void) {
  struct A a = {3, 4};
  struct A *b = calloc(1, 64);
  *b = a;
  return tab[0](b) != 34;
}
