// SPDX-License-Identifier: GPL-2.0-or-later
//
// Freed by a number at its start.
// KNOWN: a first member that is no record

#include "program.h"
struct s {
  int id;
  u32 slot;
  u64 deadline;
};
__attribute__((noinline)) static int *add(void) {
  struct s *m = calloc(1, sizeof *m);
  m->slot = 1;
  return &m->id;
}
__attribute__((noinline)) static u32 use(struct s *p, int n) {
  u32 k = 0;
  while (n--)
    k += p->slot + (u32)p->deadline;
  return k;
}
void drop(int *i) { free(i); }
int main(void) {
  drop(add());
  struct s x = {0};
  return use(&x, 0);
}
