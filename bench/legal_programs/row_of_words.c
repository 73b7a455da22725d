// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words of another size than the member are summed.
// OPAQUE: k

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};

__attribute__((noinline)) u32 sum(const u32 *v, size_t n) {
  u32 m = 0;
  for (size_t i = 0; i < n; i++)
    m += v[i];
  return m;
}
__attribute__((noinline)) u32 k(struct s *p, size_t n) {
  return sum((u32 *)&p->z, n);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .z = 3, .c = 10, .d = 20};
  return !(k(&x, 3) == 13);
}
