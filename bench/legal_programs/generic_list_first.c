// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct link {
  struct link *next;
};
struct s {
  struct link l;
  int v;
  u64 w;
  char *n;
};
__attribute__((noinline)) void push(struct link **h, void *o) {
  struct link *l = o;
  l->next = *h;
  *h = l;
}
int main() {
  struct link *h = 0;
  struct s a = {.v = 1}, b = {.v = 2};
  push(&h, &a);
  push(&h, &b);
  return !(((struct s *)h)->v == 2 && ((struct s *)h->next)->v == 1);
}
