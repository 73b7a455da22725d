// SPDX-License-Identifier: GPL-2.0-or-later
// A copy loop of the program.
// OPAQUE: copy main

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
static size_t known = 8;
__attribute__((noinline)) void copy(u8 *to, const u8 *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = from[i];
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct s y = {.a = 9};
  copy((u8 *)&y, (const u8 *)&x, known);
  return !(y.a == 1 && y.b == 2 && !y.c && !y.d);
}
