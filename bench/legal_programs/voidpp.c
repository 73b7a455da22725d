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
__attribute__((noinline)) void mk(void **out) {
  struct base *b = calloc(1, 64);
  b->id = 3;
  *out = b;
}
int main() {
  struct s *x;
  mk((void **)&x);
  return x->id != 3;
}
