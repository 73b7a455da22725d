// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of an own allocator: an array of bytes.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
static char arena[4096] __attribute__((aligned(16)));
static size_t used;
__attribute__((noinline)) struct s *make(void) {
  struct s *p = (struct s *)(arena + used);
  used += sizeof *p;
  p->a = 1;
  p->b = p->c = p->d = 4;
  return p;
}
int main(void) {
  struct s *x = make(), *y = make();
  y->a = 2;
  return !(x->a == 1 && y->a == 2 && x->d == 4);
}
