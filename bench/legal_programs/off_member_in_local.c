// SPDX-License-Identifier: GPL-2.0-or-later
//
// A pointer to a member is kept in a variable before bytes behind it are read.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(struct s *p, unsigned long at) {
  u32 *start = &p->a;
  char *bytes = (char *)start;
  return *(u32 *)(bytes + at);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, 4) == 2 && rd(&x, 16) == 3);
}
