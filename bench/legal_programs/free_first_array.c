// SPDX-License-Identifier: GPL-2.0-or-later
//
// Freed by an array of bytes at its start.
// KNOWN: a first member that is no record

#include "program.h"
struct s {
  char name[16];
  u32 slot;
  u64 deadline;
};
__attribute__((noinline)) static char *add(void) {
  struct s *m = calloc(1, sizeof *m);
  m->slot = 1;
  return m->name;
}
__attribute__((noinline)) static u32 use(struct s *p, int n) {
  u32 k = 0;
  while (n--)
    k += p->slot + (u32)p->deadline;
  return k;
}
void drop(char *i) { free(i); }
int main(void) {
  drop(add());
  struct s x = {0};
  return use(&x, 0);
}
