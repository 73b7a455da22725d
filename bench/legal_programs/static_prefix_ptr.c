// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct base {
  int id;
  u64 t;
};
struct s {
  int id;
  u64 t;
  char *n;
  int w;
};
static struct base *cur;
int main() {
  struct s x = {.id = 3, .t = 4};
  cur = (void *)&x;
  return !(cur->id == 3 && cur->t == 4);
}
