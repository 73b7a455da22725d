// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int key;
  int val;
  char *name;
  u64 z;
};
static int cmp(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
int main() {
  struct s v[3] = {
      {.key = 3, .val = 1}, {.key = 1, .val = 2}, {.key = 2, .val = 3}};
  qsort(v, 3, sizeof v[0], cmp);
  return !(v[0].key == 1 && v[1].key == 2 && v[2].key == 3);
}
