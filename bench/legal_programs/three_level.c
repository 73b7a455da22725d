// SPDX-License-Identifier: GPL-2.0-or-later
// STRUCT: C

#include "program.h"

struct A {
  int type;
  int refs;
};
typedef struct A A_t;
struct B {
  A_t base;
  u64 b;
};
typedef struct B B_t;
struct C {
  B_t parent;
  u64 c;
  char *n;
  int y;
};
__attribute__((noinline)) int ty(void *p) { return ((A_t *)p)->type; }
int main() {
  struct C c = {.parent = {.base = {.type = 4}}};
  return ty(&c) != 4;
}
