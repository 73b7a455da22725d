// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int z;
  u64 a;
  int b;
};
struct s pool[4];
__attribute__((noinline)) int idx(u64 *p) {
  return ((char *)p - (char *)&pool[0].a) / sizeof(struct s);
}
int main(void) { return idx(&pool[2].a) != 2; }
