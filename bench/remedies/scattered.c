/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No sharing: each thread walks objects of its own, whose fields are on three
 * lines of four. */
#include "run.h"

struct node {
  long key;
  char name[72];
  long value;
  char note[72];
  long weight;
  char rest[80];
};
enum { NODES = 1 << 15 };

struct node *of_one, *of_other;

static void walk(struct node *nodes, long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; i++) {
    struct node *n = &nodes[i * 7919 % NODES];
    sum += n->key + n->value + n->weight;
    n->value = sum;
  }
}
void one(long rounds) {
  struct node *mine = of_one = aligned_alloc(256, NODES * sizeof(*mine));
  memset(mine, 0, NODES * sizeof(*mine));
  walk(mine, rounds);
}
void other(long rounds) {
  struct node *mine = of_other = aligned_alloc(256, NODES * sizeof(*mine));
  memset(mine, 0, NODES * sizeof(*mine));
  walk(mine, rounds);
}
int main(void) { return run_both(one, other, 4000000); }
