// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 a;
  int b;
  char c[4];
  u64 d;
  char e[sizeof(((struct q {
                  int a;
                  char b[12];
                } *)0)
                    ->b)];
  u8 f;
};
int main(void) {
  struct s v = {.a = 1, .b = 2, .d = 3, .f = 4};
  return !(v.a == 1 && sizeof v.e == 12);
}
