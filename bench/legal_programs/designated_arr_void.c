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
static struct s x = {.id = 3, .t = 4};
static void *tab[4] = {[2] = &x};
int main() { return ((struct base *)tab[2])->id != 3; }
