// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 flags;
  u64 rx;
  u64 tx;
  u64 err;
  u64 drop;
};
__attribute__((noinline)) void fill(struct s *p, int n) {
  u64 *d = &p->rx;
  for (int i = 0; i < n; i++)
    *d++ = i + 1;
}
int main() {
  struct s x = {.flags = 77};
  fill(&x, 4);
  return !(x.flags == 77 && x.rx == 1 && x.tx == 2 && x.err == 3 &&
           x.drop == 4);
}
