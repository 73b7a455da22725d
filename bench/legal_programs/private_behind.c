// SPDX-License-Identifier: GPL-2.0-or-later
// What lies behind the object.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct priv {
  int state;
};
static struct priv *priv(struct s *p) {
  return (struct priv *)((char *)p + sizeof *p);
}
int main(void) {
  struct s *x = calloc(1, sizeof *x + sizeof(struct priv));
  priv(x)->state = 5;
  x->a = 1;
  x->d = 4;
  return !(priv(x)->state == 5 && x->a == 1 && x->d == 4);
}
