// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  u64 b;
  _Static_assert(sizeof(int) == 4, "x");
  u8 c;
  u64 d;
  int e;
};
int main(void) {
  struct s v = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(v.a == 1 && v.b == 2 && v.c == 3 && v.d == 4);
}
