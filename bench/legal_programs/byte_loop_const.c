// SPDX-License-Identifier: GPL-2.0-or-later
// A loop over the first bytes.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) void clear(void *any) {
  u8 *b = any;
  for (int i = 0; i < 8; i++)
    b[i] = 0;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  clear(&x);
  return !(!x.a && !x.b && x.c == 3);
}
