/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Elements of arrays in objects with static storage and on the heap, by index
 * and by a pointer that is kept. Prints each access as a trace should have it:
 * address, struct + offset, size.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct inner {
  int id;
  long slots[4];
};
struct outer {
  long head;
  struct inner in[3];
  char bytes[16];
};
struct outer one;

static void say(void *at, const char *name, void *object, int size) {
  printf("0x%lx %s+%ld %d\n", (unsigned long)at, name,
         (long)((char *)at - (char *)object), size);
}

__attribute__((noinline)) static void write_all(struct outer *p, int i, int j) {
  char *kept = p->bytes;
  kept[j] = 1;
  p->bytes[i + j] = 1;
  p->in[i].slots[j] = 1;
}

/* Which array it is, no place in the code knows. */
__attribute__((noinline)) static void write_one(struct outer *p, int i) {
  char *one;
  if (i > 0)
    one = p->bytes;
  if (i)
    one[i] = 1;
}

int main(int argc, char **argv) {
  struct outer *p = malloc(sizeof(*p));
  int i = argc, j = argc + 1;
  (void)argv;
  write_all(p, i, j);
  one.bytes[j] = 1;
  write_one(p, i);
  say(&p->bytes[j], "outer", p, 1);
  say(&p->bytes[i + j], "outer", p, 1);
  say(&p->in[i].slots[j], "outer", p, 8);
  say(&p->in[i].slots[j], "inner", &p->in[i], 8);
  say(&one.bytes[j], "outer", &one, 1);
  printf("0x%lx - 1\n", (unsigned long)&p->bytes[i]);
  free(p);
  return 0;
}
