// SPDX-License-Identifier: GPL-2.0-or-later
// Offsets as numbers in a table of records.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct desc {
  int off;
};
static struct desc table[] = {{0}, {4}, {16}};
__attribute__((noinline)) u32 rd(struct s *p, const struct desc *d) {
  return *(u32 *)((char *)p + d->off);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, &table[1]) == 2 && rd(&x, &table[2]) == 3);
}
