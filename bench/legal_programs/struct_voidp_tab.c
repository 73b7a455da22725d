// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct base {
  int id;
};
struct s {
  int id;
  u64 t;
  char *n;
  int w;
};
static struct s x = {.id = 3, .t = 4};
struct ent {
  const char *n;
  void *o;
};
static struct ent tab[] = {{"x", &x}};
int main() { return ((struct base *)tab[0].o)->id != 3; }
