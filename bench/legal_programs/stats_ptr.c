// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 rx;
  u64 tx;
  u32 flags;
  u64 err;
  u64 drop;
};
struct names {
  const char *n;
};
__attribute__((noinline)) u64 get(struct s *p, int i) {
  u64 *d = (u64 *)p;
  return d[i];
}
int main() {
  struct s x = {.rx = 1, .tx = 2, .err = 3, .drop = 4};
  return !(get(&x, 0) == 1 && get(&x, 1) == 2 && get(&x, 4) == 4);
}
