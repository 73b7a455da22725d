// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  int b;
  u64 c;
};
struct cfg {
  const char *n;
  struct s d;
  int k;
};
static struct cfg tab[] = {{.n = "x", .d = {1, 2, 3}, .k = 1},
                           {.n = "y", .d = {4, 5}}};
int main() {
  return !(tab[0].d.a == 1 && tab[0].d.b == 2 && tab[0].d.c == 3 &&
           tab[1].d.b == 5);
}
