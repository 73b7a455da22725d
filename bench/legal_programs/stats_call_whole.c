// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 rx;
  u64 tx;
  u64 err;
  u64 drop;
};
__attribute__((noinline)) u64 total(const u64 *d, int n) {
  u64 t = 0;
  for (int i = 0; i < n; i++)
    t = t * 10 + d[i];
  return t;
}
int main() {
  struct s x = {.rx = 1, .tx = 2, .err = 3, .drop = 4};
  return total((u64 *)&x, sizeof x / 8) != 1234;
}
