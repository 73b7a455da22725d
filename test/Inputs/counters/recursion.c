/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: source */
/* Recursion, mutual recursion, nested and anonymous members, arrays. */
#include <stdio.h>

struct inner {
  int low : 3;
  unsigned high : 13;
  short plain;
  union {
    long wide;
    struct {
      int left, right;
    };
  };
};

struct node {
  int value;
  struct node *next, *other;
  struct inner in;
  struct inner many[4];
  char name[8];
  unsigned flag : 1, mode : 4;
};

static struct node pool[64];
static struct node global = {.value = 5, .in = {.low = 2, .wide = 7}};

static int odd(struct node *n, int depth);
static int even(struct node *n, int depth) {
  if (depth == 0 || !n->next)
    return n->value;
  n->in.low++;
  n->many[depth & 3].high += (unsigned)n->in.low;
  return odd(n->next, depth - 1) + n->many[1].plain;
}
static int odd(struct node *n, int depth) {
  if (depth == 0)
    return n->in.left;
  n->in.right -= depth;
  n->flag ^= 1;
  n->mode = n->mode * 3 + 1;
  n->name[depth % 8] = (char)depth;
  return even(n->next ? n->next : n, depth - 1) + n->name[3];
}

static long ackermann(struct node *n, long a, long b) {
  n->in.wide++;
  if (a == 0)
    return b + n->value;
  if (b == 0)
    return ackermann(n, a - 1, 1);
  return ackermann(n, a - 1, ackermann(n, a, b - 1));
}

int main(void) {
  for (int i = 0; i < 64; ++i) {
    pool[i].value = i;
    pool[i].next = i % 7 ? &pool[(i * 5 + 1) % 64] : 0;
    pool[i].other = &pool[63 - i];
    pool[i].many[2].wide = i;
  }
  long sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += even(&pool[i], i % 9);
  struct node *const alias = &global;
  alias->value -= 4;
  sum += ackermann(alias, 2, 3) + global.in.wide;
  int *middle = &global.in.left;
  *middle += 3;
  sum += *middle;
  for (struct node *n = &pool[3]; n; n = n->next)
    if ((sum += n->other->other->value) > 100000 || n->value == 21)
      break;
  printf("%ld %d %u %u\n", sum, global.in.right, pool[4].flag, pool[5].mode);
  return (int)(sum & 31);
}
