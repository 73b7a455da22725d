// SPDX-License-Identifier: GPL-2.0-or-later
// Loops with several exits, whose blocks hold nothing but a comparison once
// the optimiser has taken the accesses out: such blocks can be joined.

#include <stdio.h>

struct limits {
  long low, high, end;
  int stop;
};

#define NOINLINE __attribute__((noinline))

NOINLINE long find(struct limits *l, const long *v, long n) {
  long high = l->high, low = l->low, i;
  for (i = 0; i < n; i++) {
    long k = v[i];
    if (k == l->low)
      break;
    if (k == l->high)
      break;
  }
  return i + high + low;
}

NOINLINE long step(struct limits *l) {
  long high = l->high, low = l->low, end = l->end, i = 1;
  for (;;) {
    i = (i * 5 + 1) & 0xffff;
    if (i == l->low)
      break;
    if (i == l->high)
      break;
    if (i == l->end)
      break;
  }
  return high + low + end + i;
}

NOINLINE int walk(struct limits *l, const int *v) {
  int i = 0, stop = l->stop, low = l->low;
  while (v[i] != l->stop && v[i] < l->low)
    i++;
  return i + stop + low;
}

int main(void) {
  long v[200], sum = 0;
  int w[200];
  unsigned random = 7;
  for (int i = 0; i < 200; i++) {
    random = random * 1103515245 + 12345;
    v[i] = random >> 24;
    w[i] = i;
  }
  for (int k = 0; k < 100; k++) {
    struct limits l = {k, k * 2 + 1, 3 * k, 50};
    __asm__ volatile("" ::"r"(&l) : "memory");
    sum += find(&l, v, 200);
    sum += walk(&l, w);
    l.low = 17 * k + 1;
    l.end |= 1;
    sum += step(&l);
  }
  printf("%ld\n", sum);
}
