// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  struct {
    u64 b; /* in b */
    struct {
      int c;
      int d;
    };
    union {
      u64 u1;
      struct {
        int x, y;
      };
    };
  };
  u8 e;
  struct {
    int f1;
    u64 f2;
  } f;
  enum { E1, E2 } kind;
  u64 g;
};
int main(void) {
  struct s v = {.a = 1,
                .b = 2,
                .c = 3,
                .d = 4,
                .u1 = 5,
                .e = 6,
                .f = {.f1 = 7, .f2 = 8},
                .kind = E2,
                .g = 9};
  return !(v.a == 1 && v.b == 2 && v.c == 3 && v.d == 4 && v.u1 == 5 &&
           v.e == 6 && v.f.f2 == 8 && v.kind == E2 && v.g == 9);
}
