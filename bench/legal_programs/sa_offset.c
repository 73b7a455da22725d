// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  u64 b;
  u8 c;
  u64 d;
  int e;
};
_Static_assert(offsetof(struct s, d) == 24, "d");
_Static_assert(sizeof(struct s) == 40, "size");
int main(void) {
  struct s v = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(v.a == 1 && v.b == 2 && v.c == 3 && v.d == 4);
}
