// SPDX-License-Identifier: GPL-2.0-or-later
//
// Given other memory by the first record.

#include "program.h"
struct source {
  void *ops;
  int fd;
};
struct s {
  struct source base;
  u32 slot;
  u64 deadline;
};
__attribute__((noinline)) static struct s *mk(void) {
  struct s *m = calloc(1, sizeof *m);
  m->slot = 1;
  m->deadline = 2;
  return m;
}
__attribute__((noinline)) static u32 use(struct s *p, int n) {
  u32 k = 0;
  while (n--)
    k += p->slot + (u32)p->deadline + p->base.fd;
  return k;
}

__attribute__((noinline)) struct source *drop(struct source *b) {
  return realloc(b, 400);
}
int main(void) {
  struct s *m = mk();
  use(m, 3);
  drop(&m->base);
  return 0;
}
