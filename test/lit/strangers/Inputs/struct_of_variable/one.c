/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

struct {
  long head, tail;
} queue;
static struct {
  long x;
  char cold[120];
  long y;
} table[8];
static int *counts;

void make(int n) { counts = calloc(n, sizeof(*counts)); }
void count(int i) { counts[i]++; }
long both(int i) { return table[i].x + table[i].y + table[i].cold[0]; }
void push(void) { queue.head++; }
void pull(void) { queue.tail++; }
