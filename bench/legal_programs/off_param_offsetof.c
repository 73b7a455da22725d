// SPDX-License-Identifier: GPL-2.0-or-later
// The same as an argument.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(void *any, size_t at) { return *(u32 *)((char *)any + at); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  size_t at = offsetof(struct s, d);
  return !(rd(&x, offsetof(struct s, b)) == 2 && rd(&x, at) == 4);
}
