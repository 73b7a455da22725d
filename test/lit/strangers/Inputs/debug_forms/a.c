/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types.h"
struct node shared[3];
int counters[8];
static struct table *tables[2];
static inline long twice(struct node *n) {
  n->number += 2;
  return n->number * 2;
}
int main(int argc, char **argv) {
  static point last;
  last.x = argc;
  counters[argc & 7]++;
  tables[argc & 1] = 0;
  shared[argc % 3].flags = 2;
  return (int)(twice(&shared[argc % 3]) + use(shared) + last.x);
}
