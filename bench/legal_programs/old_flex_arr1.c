// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  u64 h;
  char *z;
  u64 vec[1];
};
__attribute__((noinline)) struct s *mk(int n) {
  struct s *p = calloc(1, sizeof(*p) + (n - 1) * sizeof(u64));
  p->n = n;
  for (int i = 0; i < n; i++)
    p->vec[i] = i;
  return p;
}
int main() {
  struct s *p = mk(20);
  p->h = 200;
  p->z = (char *)1;
  for (int i = 0; i < 20; i++)
    if (p->vec[i] != i)
      return 1;
  return p->n != 20;
}
