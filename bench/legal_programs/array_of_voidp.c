// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct base {
  int id;
};
struct s {
  int id;
  u64 t;
  char *n;
  int w;
};
static void *tab[4];
int main() {
  struct s x = {.id = 3, .t = 4};
  tab[1] = &x;
  return ((struct base *)tab[1])->id != 3;
}
