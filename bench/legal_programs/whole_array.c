// SPDX-License-Identifier: GPL-2.0-or-later
// An array of objects is cleared and copied.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) struct s *grow(struct s *old, size_t n, size_t more) {
  struct s *v = malloc((n + more) * sizeof *v);
  memcpy(v, old, n * sizeof *v);
  memset(v + n, 0, more * sizeof *v);
  return v;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct s *v = grow(&x, 1, 2);
  return !(v[0].a == 1 && v[0].d == 4 && !v[2].a);
}
