// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  int vals[2];
  int extra;
  u64 q;
  int v;
};
__attribute__((noinline)) int get(struct s *p, int i) {
  int *a = p->vals;
  return a[i];
}
int main(void) {
  struct s x = {.vals = {1, 2}, .extra = 3, .v = 9};
  return get(&x, 1) != 2;
}
