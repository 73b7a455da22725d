// SPDX-License-Identifier: GPL-2.0-or-later
// A vector of anything, which knows the size of an element.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct vec {
  void *base;
  size_t each, used;
};
__attribute__((noinline)) void push(struct vec *v, const void *any) {
  memcpy((char *)v->base + v->used++ * v->each, any, v->each);
}
__attribute__((noinline)) void *at(struct vec *v, size_t i) { return (char *)v->base + i * v->each; }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct vec v = {.base = malloc(1024), .each = sizeof(struct s)};
  push(&v, &x);
  x.a = 7;
  push(&v, &x);
  struct s *p = at(&v, 1);
  return !(p->a == 7 && p->d == 4);
}
