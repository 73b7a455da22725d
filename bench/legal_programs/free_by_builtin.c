// SPDX-License-Identifier: GPL-2.0-or-later
//
// Freed by the first record, by a builtin of the compiler.

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

__attribute__((noinline)) void drop(struct source *b) { __builtin_free(b); }
int main(void) {
  struct s *m = mk();
  use(m, 3);
  drop(&m->base);
  return 0;
}
