// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  u32 a;
  u32 b;
  char *c;
  int z;
};
__attribute__((noinline)) void cp(struct s *d, struct s *s) {
  memcpy(&d->a, &s->a, 2 * sizeof(u32));
}
int main() {
  struct s x = {.n = 1, .a = 2, .b = 3, .c = "", .z = 4}, y = {.z = 9};
  cp(&y, &x);
  return !(y.a == 2 && y.b == 3 && !y.c && y.z == 9 && !y.n);
}
