// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

typedef unsigned int refcnt_t;
struct obj {
  u32 refs;
  u32 type;
};
struct s {
  refcnt_t refs;
  unsigned type;
  char *name;
  u64 a;
  int b;
};
__attribute__((noinline)) void get(void *o) { ((struct obj *)o)->refs++; }
__attribute__((noinline)) u32 ty(void *o) { return ((struct obj *)o)->type; }
int main() {
  struct s x = {.refs = 1, .type = 5};
  get(&x);
  return !(x.refs == 2 && ty(&x) == 5);
}
