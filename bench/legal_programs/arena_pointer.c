// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of an own allocator: a pointer that moves.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct pool {
  char *next;
  char *end;
};
__attribute__((noinline)) void *take(struct pool *p, size_t n) {
  char *at = p->next;
  if (at + n > p->end)
    return NULL;
  p->next += n;
  return at;
}
int main(void) {
  struct pool p;
  p.next = malloc(1024);
  p.end = p.next + 1024;
  struct s *x = take(&p, sizeof *x);
  x->a = 1;
  x->c = 3;
  return !(x->a == 1 && x->c == 3);
}
