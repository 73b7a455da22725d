// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  int b;
  u64 c;
  char *n;
};
#define S_INIT(x) {x, (x) + 1, 0, "k"}
static struct s tab[] = {S_INIT(1), S_INIT(2)};
int main() { return !(tab[1].a == 2 && tab[1].b == 3 && tab[0].n[0] == 'k'); }
