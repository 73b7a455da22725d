// SPDX-License-Identifier: GPL-2.0-or-later
// The offset comes from a variable of the program.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
static unsigned where = 4;
__attribute__((noinline)) u32 rd(struct s *p) { return *(u32 *)((char *)p + where); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return rd(&x) != 2;
}
