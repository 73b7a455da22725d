/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program with data of each kind; GROWN is another version of it. */
#include <stdio.h>

int counter, limit = 10;
static int table[100];
static __thread int mine = 3;
static __thread long others;
#ifdef GROWN
static __thread int added __attribute__((used)) = 4;
#endif

void bump(int i) {
  counter++;
#ifdef GROWN
  static int earlier = 1;
  limit += earlier++;
  __asm__ volatile(".skip 40, 0x90");
#endif
  static int calls = 1;
  table[i % 100] += counter + calls++;
}

int main(int argc, char **argv) {
  for (int i = 0; i < argc * 10; i++)
    bump(i);
  return printf("%s %d\n", argv[0], limit + table[argc] + mine++ + (int)others) < 0;
}
