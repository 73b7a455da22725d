// SPDX-License-Identifier: GPL-2.0-or-later
// Offsets that the compiler computes, in a table.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct desc {
  const char *name;
  int off;
};
static const struct desc table[] = {{"a", offsetof(struct s, a)},
                                    {"c", offsetof(struct s, c)}};
__attribute__((noinline)) u32 rd(struct s *p, const struct desc *d) {
  return *(u32 *)((char *)p + d->off);
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(rd(&x, &table[0]) == 1 && rd(&x, &table[1]) == 3);
}
