// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

enum tag { T1 = 1, T2, T3, T4, T5, T6, T7, T8 };
struct node {
  enum tag type;
};
struct s {
  enum tag type;
  u64 a;
  char *n;
  int q;
};
struct n2 {
  enum tag type;
  u64 a;
};
struct n3 {
  enum tag type;
  int a;
};
struct n4 {
  enum tag type;
  char *a;
};
struct n5 {
  enum tag type;
  u64 b;
};
struct n6 {
  enum tag type;
  u64 c;
};
struct n7 {
  enum tag type;
  u64 d;
};
struct n8 {
  enum tag type;
  u64 e;
};
static void *list[16];
static int cnt;
__attribute__((noinline)) void lappend(void *d) { list[cnt++] = d; }
__attribute__((noinline)) int tag(void *p) { return ((struct node *)p)->type; }
int main() {
  struct s a = {.type = T1};
  struct n2 b = {.type = T2};
  struct n3 c = {.type = T3};
  struct n4 d = {.type = T4};
  struct n5 e = {.type = T5};
  struct n6 f = {.type = T6};
  struct n7 g = {.type = T7};
  struct n8 h = {.type = T8};
  lappend(&a);
  lappend(&b);
  lappend(&c);
  lappend(&d);
  lappend(&e);
  lappend(&f);
  lappend(&g);
  lappend(&h);
  for (int i = 0; i < 8; i++)
    if (tag(list[i]) != i + 1)
      return 1;
  return 0;
}
