// SPDX-License-Identifier: GPL-2.0-or-later
// Some members are cleared, as many as the caller says.
// OPAQUE: clear

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) void clear(struct s *p, size_t n) { memset(&p->a, 0, n); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  clear(&x, 8);
  return !(!x.a && !x.b && x.c == 3 && x.d == 4);
}
