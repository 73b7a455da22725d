/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: source */
/* longjmp out of nested calls and loops, exit() deep in a call with handlers
 * that count too. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct work {
  jmp_buf where;
  volatile int tries;
  int depth, done;
  unsigned bits : 7;
  struct work *outer;
};

static struct work top;

static void deeper(struct work *w, int n) {
  w->depth = n;
  w->bits++;
  if (n > w->tries)
    longjmp(w->where, n);
  if (n % 5 == 4 && w->outer) {
    w->outer->done++;
    longjmp(w->outer->where, 100 + n);
  }
  deeper(w, n + 1);
  w->done += 1000; /* never */
}

static int attempt(struct work *outer) {
  struct work mine;
  mine.tries = outer->tries;
  mine.outer = outer;
  mine.bits = 0;
  mine.done = 0;
  int code = setjmp(mine.where);
  if (code == 0)
    deeper(&mine, 0);
  outer->done += mine.depth;
  return code + (int)mine.bits;
}

static void at_end(void) {
  top.depth += 2;
  printf("end %d %d\n", top.depth, top.done);
}

static void leave(struct work *w, int n) {
  w->depth++;
  if (n == 0)
    exit(w->depth & 7);
  leave(w, n - 1);
  w->depth--;
}

int main(void) {
  volatile long sum = 0;
  atexit(at_end);
  for (volatile int i = 0; i < 12; ++i) {
    int code = setjmp(top.where);
    if (code) {
      sum += code;
      top.depth--;
      continue;
    }
    top.tries = i % 7;
    sum += attempt(&top);
  }
  printf("%ld %d\n", sum, top.done);
  leave(&top, 20);
  return 0;
}
