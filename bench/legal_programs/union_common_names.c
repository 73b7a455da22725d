// SPDX-License-Identifier: GPL-2.0-or-later
//
// Variants of a union share their first member under different names.

#include "program.h"

struct s {
  int kind;
  u64 a;
  char *n;
  int z;
};
struct t {
  int type;
  char *m;
};
union any {
  struct s s;
  struct t t;
};
__attribute__((noinline)) int k(union any *u) { return u->t.type; }
int main() {
  union any u = {.s = {.kind = 3}};
  return k(&u) != 3;
}
