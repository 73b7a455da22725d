// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct list {
  struct list *next, *prev;
};
struct s {
  struct list l;
  int v;
  u64 q;
  char *n;
};
#define for_each(p, h)                                                         \
  for (p = (struct s *)(h)->next; (struct list *)p != (h);                     \
       p = (struct s *)p->l.next)
int main(void) {
  struct list h;
  struct s a = {.v = 3};
  h.next = &a.l;
  h.prev = &a.l;
  a.l.next = &h;
  int t = 0;
  struct s *p;
  for_each(p, &h) t += p->v;
  return t != 3;
}
