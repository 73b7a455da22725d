// SPDX-License-Identifier: GPL-2.0-or-later
// exact: source
// Code that no path leads to, which -O0 keeps: around, before and instead of
// counted code.
#include <stdio.h>

struct S {
  int a;
  long b;
};

static int onlyDead(struct S *s) {
  return 1;
never:
  s->a = 7;
  goto never;
}

static long deadAndLive(struct S *s, int n) {
  if (n > 3)
    return s->b++;
  return s->a++;
never:
  for (s->a = 0; s->a < n; ++s->a)
    s->b += s->a;
  goto never;
}

static int endless(struct S *s) {
  for (;;) {
    if (++s->a > 50)
      return s->a;
  }
  s->b = 3;
  return 0;
}

int main(void) {
  static struct S s;
  for (int i = 0; i < 9; ++i)
    printf("%d %ld\n", onlyDead(&s), deadAndLive(&s, i));
  printf("%d\n", endless(&s));
  return 0;
}
