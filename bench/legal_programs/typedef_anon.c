// SPDX-License-Identifier: GPL-2.0-or-later
// STRUCT: s_

#include "program.h"

typedef struct s_ {
  int a;
  u64 b;
  u8 c;
  u64 d;
  int e;
} s;
int main(void) {
  s v = {.a = 1, .b = 2, .c = 3, .d = 4, .e = 5};
  return !(v.a == 1 && v.b == 2 && v.c == 3 && v.d == 4 && v.e == 5);
}
