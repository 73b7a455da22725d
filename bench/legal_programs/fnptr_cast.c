// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct base {
  int id;
};
struct s {
  int id;
  u64 v;
  char *n;
  int w;
};
typedef void (*handler)(struct base *);
static u64 got;
static void handle(struct s *p) { got = p->id; }
struct op {
  handler h;
};
static struct op ops[] = {{(handler)handle}};
struct b2 {
  int id;
  u64 vv;
};
int main() {
  struct b2 *b = calloc(1, 64);
  b->id = 7;
  ops[0].h((struct base *)b);
  return got != 7;
}
