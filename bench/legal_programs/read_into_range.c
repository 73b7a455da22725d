// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <unistd.h>
struct s {
  int n;
  u32 a;
  u32 b;
  char *c;
  int z;
};
int main() {
  struct s y = {.z = 9};
  int p[2];
  pipe(p);
  u32 v[2] = {2, 3};
  write(p[1], v, 8);
  read(p[0], &y.a, 8);
  return !(y.a == 2 && y.b == 3 && !y.c && y.z == 9 && !y.n);
}
