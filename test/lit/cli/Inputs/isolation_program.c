/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with data of each kind; GROWN and
   MORE_OF_THREADS are other versions of it. */
#include <stdio.h>

int counter, limit = 10;
static int table[100];
static __thread int mine = 3;
static __thread long others;
#ifdef MORE_OF_THREADS
static __thread int added = 4;
#define ADDED added++
#else
#define ADDED 0
#endif

void bump(int i) {
  counter++;
#ifdef GROWN
  static int earlier[2] = {1, 2};
  limit += earlier[i & 1]++;
  __asm__ volatile(".skip 40, 0x90");
#endif
  static int calls = 1;
  table[i % 100] += counter + calls++;
}

int main(int argc, char **argv) {
  for (int i = 0; i < argc * 10; i++)
    bump(i);
  return printf("%s %d\n", argv[0],
                limit + table[argc] + mine++ + ADDED + (int)others) < 0;
}
