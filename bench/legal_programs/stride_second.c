// SPDX-License-Identifier: GPL-2.0-or-later
// A search by the second member, with the size of an element.

#include "program.h"

struct s {
  u32 val;
  u32 key;
  u64 z;
  char *n;
};
__attribute__((noinline)) int find(const void *base, size_t stride, int n, u32 k) {
  for (int i = 0; i < n; i++)
    if (*(const u32 *)((const char *)base + i * stride + 4) == k)
      return i;
  return 99;
}
int main(void) {
  struct s v[3] = {{.key = 5}, {.key = 6}, {.key = 7}};
  return find(v, sizeof v[0], 3, 6) != 1;
}
