// SPDX-License-Identifier: GPL-2.0-or-later
// A copy of all of an object, through a function.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) void *dup(const void *any, size_t n) {
  void *copy = malloc(n);
  return copy ? memcpy(copy, any, n) : NULL;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct s *y = dup(&x, sizeof x);
  return !(y->a == 1 && y->b == 2 && y->c == 3);
}
