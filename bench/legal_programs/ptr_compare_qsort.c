// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 prio;
  int id;
  char *n;
};
struct cmpv {
  u64 prio;
};
static int cmp(const void *a, const void *b) {
  const struct cmpv *x = a, *y = b;
  return x->prio < y->prio ? -1 : x->prio > y->prio;
}
int main() {
  struct s v[3] = {
      {.prio = 3, .id = 1}, {.prio = 1, .id = 2}, {.prio = 2, .id = 3}};
  qsort(v, 3, sizeof v[0], cmp);
  return !(v[0].prio == 1 && v[2].prio == 3);
}
