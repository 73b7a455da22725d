// SPDX-License-Identifier: GPL-2.0-or-later
// Members as an array, by a stride of their size.
// OPAQUE: sum

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 sum(struct s *p) {
  u32 all = 0;
  for (int i = 0; i < 2; i++)
    all += *(u32 *)((char *)p + 4 * i);
  return all;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return sum(&x) != 3;
}
