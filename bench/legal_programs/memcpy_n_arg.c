// SPDX-License-Identifier: GPL-2.0-or-later
//
// The length of a copy is a parameter.
// OPAQUE: cp

#include "program.h"

struct s {
  int n;
  u32 a;
  u32 b;
  char *c;
  int z;
};
__attribute__((noinline)) void cp(struct s *d, const void *s, size_t n) {
  memcpy(&d->a, s, n);
}
int main() {
  struct s y = {.z = 9};
  u32 v[2] = {2, 3};
  cp(&y, v, sizeof v);
  return !(y.a == 2 && y.b == 3 && !y.c && y.z == 9 && !y.n);
}
