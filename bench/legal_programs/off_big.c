// SPDX-License-Identifier: GPL-2.0-or-later
//
// An offset beyond a page.
// OPAQUE: rd

#include "program.h"
struct s {
  u32 a;
  u32 b;
  char pad[5000];
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 rd(struct s *p, unsigned at) {
  return *(u32 *)((char *)p + at);
}
int main(void) {
  static struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, offsetof(struct s, d)) == 4 && rd(&x, 5008) == 3);
}
