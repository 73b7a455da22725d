// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct sub {
  u32 a;
  u32 b;
};
struct s {
  u64 h;
  u32 a;
  u32 b;
  u32 c;
  u64 n;
};
__attribute__((noinline)) struct sub get(struct s *p) {
  struct sub r;
  memcpy(&r, &p->a, sizeof r);
  return r;
}
int main(void) {
  struct s v = {.a = 1, .b = 2};
  struct sub r = get(&v);
  return !(r.a == 1 && r.b == 2);
}
