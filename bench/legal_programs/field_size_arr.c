// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a[4];
  u32 b;
  u32 c;
  u64 z;
};
__attribute__((noinline)) u32 at(struct s *p, int i) { return p->a[i]; }
int main() {
  struct s x = {.a = {1, 2, 3, 4}, .b = 5, .c = 6};
  return 0;
}
