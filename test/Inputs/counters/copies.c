/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: */
/* Struct copies, arguments and returns by value of every size, varargs,
 * memset and memcpy, flexible arrays, arrays of structs, initialisers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tiny { char a; };
struct pair { int a, b; };
struct mixed { double d; int i; };
struct big { long v[9]; struct pair p; };
struct flex { unsigned n; short items[]; };
union any { int i; struct pair p; float f; };
struct __attribute__((packed)) tight { char c; int i; short s : 11; long l; };

static struct tiny t1(struct tiny t) { t.a++; return t; }
static struct pair p1(struct pair p, struct pair q) { return (struct pair){p.b + q.a, p.a - q.b}; }
static struct mixed m1(struct mixed m) { m.d *= 2; m.i++; return m; }
static struct big b1(struct big b, int i) { b.v[i % 9] += b.p.a; b.p = p1(b.p, b.p); return b; }

static int sum(int n, ...) {
  va_list list;
  int result = 0;
  va_start(list, n);
  while (n--) {
    struct pair p = va_arg(list, struct pair);
    struct big b = va_arg(list, struct big);
    result += p.a * p.b + (int)b.v[3];
  }
  va_end(list);
  return result;
}

int main(void) {
  struct tiny t = {1};
  struct pair p = {3, 4}, grid[3][4];
  struct mixed m = {.d = 1.5};
  struct big b, c = {{1, 2, 3}};
  struct tight x = {.i = 7}, y;
  union any u = {.p = {1, 0}};
  memset(&b, 0, sizeof b);
  memset(grid, 0, sizeof grid);
  for (int i = 0; i < 20; ++i) {
    t = t1(t);
    p = p1(p, grid[i % 3][i % 4]);
    grid[(i + 1) % 3][i % 4] = p;
    m = m1(m);
    c = b1(i & 1 ? b : c, i);
    if (i == 7)
      memcpy(&b, &c, sizeof c);
    y = x;
    x.s += 3;
    x.l = y.i + x.s;
    u.p.b += i;
  }
  struct flex *f = malloc(sizeof *f + 10 * sizeof f->items[0]);
  f->n = 10;
  for (unsigned i = 0; i < f->n; ++i)
    f->items[i] = (short)(i * i);
  memmove(&f->items[1], f->items, 5 * sizeof f->items[0]);
  printf("%d %d %d %f %ld %d %d %d %ld\n", t.a, p.a, p.b, m.d, c.v[5], f->items[4], sum(2, p, b, p, c), u.p.b, x.l);
  free(f);
  return 0;
}
