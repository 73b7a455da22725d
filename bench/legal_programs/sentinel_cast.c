// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s;
struct head {
  struct s *first;
  struct s *last;
};
struct s {
  struct s *next;
  struct s *prev;
  int v;
  u64 q;
};
int main(void) {
  struct head h;
  struct s *e = (struct s *)&h;
  struct s a = {.v = 1};
  h.first = &a;
  h.last = &a;
  a.next = e;
  a.prev = e;
  return !(e->next == &a && e->prev == &a);
}
