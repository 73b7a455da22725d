/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types.h"
struct only_b {
  struct anchor inner;
  struct node *n;
  point p;
};
static struct only_b here;
int counter_of_b = 1;
static inline long thrice(long a) {
  counters[a & 7] += 3;
  return 3 * a;
}
__attribute__((noinline)) long use(struct node *n) {
  here.n = n;
  here.inner.id += n->wide;
  counter_of_b++;
  return thrice(here.inner.id) + thrice(n->more);
}
