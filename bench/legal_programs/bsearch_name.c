// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  const char *name;
  int id;
  u64 z;
  const char *alias;
};
static struct s tab[] = {{.name = "a", .id = 1, .alias = "x"},
                         {.name = "b", .id = 2, .alias = "y"},
                         {.name = "c", .id = 3, .alias = "z"}};
static int cmp(const void *k, const void *e) {
  return strcmp(k, *(char *const *)e);
}
int main() {
  struct s *r = bsearch("b", tab, 3, sizeof tab[0], cmp);
  return !(r && r->id == 2);
}
