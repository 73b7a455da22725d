/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct node as the compiler lays it out, in the words of `kst-dev debug`. */
#include "types.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#define FIELD(f)                                                               \
  printf("  %zu %zu " #f "\n", 8 * offsetof(struct node, f),                   \
         8 * sizeof(((struct node *)0)->f))
#define BITS(f)                                                                \
  do {                                                                         \
    struct node n;                                                             \
    memset(&n, 0, sizeof n);                                                   \
    n.f = ~0;                                                                  \
    printf("  %u %u " #f "\n", first(&n), count(&n));                          \
  } while (0)
static unsigned set(const void *n, unsigned bit) {
  return ((const unsigned char *)n)[bit / 8] >> bit % 8 & 1;
}
static unsigned first(const struct node *n) {
  unsigned bit = 0;
  while (!set(n, bit))
    bit++;
  return bit;
}
static unsigned count(const struct node *n) {
  unsigned bits = 0;
  for (unsigned bit = 0; bit < 8 * sizeof *n; bit++)
    bits += set(n, bit);
  return bits;
}
int main(void) {
  printf("struct node %zu\n", sizeof(struct node));
  FIELD(of);
  FIELD(children);
  FIELD(number);
  FIELD(low);
  FIELD(high);
  BITS(flags);
  BITS(more);
  BITS(wide);
  FIELD(corners);
  FIELD(kind);
  FIELD(name);
}
