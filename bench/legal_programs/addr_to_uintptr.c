// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 h;
  u32 a;
  u32 b;
  u32 c;
  u64 n;
};
__attribute__((noinline)) void put(struct s *p) {
  memset(&p->a, 0, (uintptr_t)&p->n - (uintptr_t)&p->a);
}
int main(void) {
  struct s v;
  memset(&v, 7, sizeof v);
  put(&v);
  return !(!v.a && !v.b && !v.c && v.n && v.h == 0x0707070707070707);
}
