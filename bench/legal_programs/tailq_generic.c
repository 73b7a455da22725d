// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct elem {
  struct elem *next;
};
struct s {
  struct s *next;
  int v;
  u64 q;
  char *n;
};
#define PUSH(head, e)                                                          \
  do {                                                                         \
    ((struct elem *)(e))->next = (struct elem *)(head);                        \
    (head) = (void *)(e);                                                      \
  } while (0)
int main(void) {
  struct s *h = 0;
  struct s a = {.v = 3}, b = {.v = 4};
  PUSH(h, &a);
  PUSH(h, &b);
  return !(h == &b && h->next == &a && a.v == 3);
}
