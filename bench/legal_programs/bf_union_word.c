// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 q;
  union {
    struct {
      u32 a : 4, b : 4, c : 24;
    };
    u32 word;
  };
  int v;
  char *n;
};
int main(void) {
  struct s x = {.q = 1};
  x.word = 0x21;
  return !(x.a == 1 && x.b == 2);
}
