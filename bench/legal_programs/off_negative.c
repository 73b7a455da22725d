// SPDX-License-Identifier: GPL-2.0-or-later
//
// One caller gives an offset of the compiler, another a negative number.
// OPAQUE: rd

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(void *end, long at) {
  return *(u32 *)((char *)end + at);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, offsetof(struct s, d)) == 4 && rd(&x + 1, -8) == 3);
}
