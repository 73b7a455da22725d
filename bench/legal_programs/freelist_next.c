// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  struct s *next;
  int v;
  u64 w;
  char *n;
};
static void *freel;
__attribute__((noinline)) void push(void **head, void *o) {
  *(void **)o = *head;
  *head = o;
}
__attribute__((noinline)) int len(struct s *p) {
  int n = 0;
  for (; p; p = p->next)
    n++;
  return n;
}
int main() {
  struct s a = {.v = 1, .w = 1, .n = "x"}, b = {.v = 2, .w = 2, .n = "y"};
  push(&freel, &a);
  push(&freel, &b);
  return !(len(freel) == 2 && a.v == 1 && b.v == 2 && a.w == 1 && b.w == 2 &&
           a.n && b.n);
}
