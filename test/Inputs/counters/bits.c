/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: source */
/* Bit-fields: signed, of whole bytes, across units, first, last and in between,
 * in globals whose initialiser hides the struct, in arrays and members. */
#include <stdio.h>

struct first {
  unsigned a : 3;
  int b : 7;
  unsigned c : 22;
  int plain;
};
struct between {
  int plain;
  unsigned a : 1, b : 8, : 3, c : 4;
  unsigned : 0;
  unsigned long d : 40;
  short last;
};
struct outer {
  struct first in;
  struct between many[3];
  unsigned end : 9;
};
union both {
  int whole;
  struct first parts;
};
struct hidden {
  union both u;
  unsigned char start : 4, rest : 4;
};

static struct first one = {1, -2, 3, 4};
static struct outer all[2] = {{{1, 2, 3, 4}, {{1, 1, 2, 3, 4, 5}}, 6}};
static struct hidden secret = {{.parts = {1, 2, 3, 4}}, 5, 6};
static struct hidden secrets[3] = {{{.parts = {1}}, 1}};

static int walk(struct between *p, int n) {
  int sum = 0;
  while (n--) {
    sum += p->a ? (int)p->b : -(int)p->c;
    p->d += 0x123456789;
    p->a ^= 1;
    p->b = (unsigned)n;
    sum += (p->c++ & 1) + (int)(p->d >> 33) + p->last--;
    ++p;
  }
  return sum;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 50; ++i) {
    one.a++;
    one.b -= 3;
    one.c |= (unsigned)i << 3;
    sum += one.a * one.b + (int)one.c + one.plain++;
    struct outer *const o = &all[i & 1];
    sum += walk(o->many, 3);
    o->in.a = one.b & 7;
    o->in.plain += o->in.a;
    o->end += 77;
    all[i % 2].in.b = all[0].end & 31;
    secret.u.parts.a = (unsigned)i & 7;
    secret.start += secret.rest--;
    secrets[i % 3].rest ^= secrets[1].start;
    secrets[2].u.parts.c = 5;
  }
  printf("%ld %u %d %u\n", sum, all[1].end, all[1].in.plain, secrets[1].rest);
  return 0;
}
