// SPDX-License-Identifier: GPL-2.0-or-later
//
// A generic search finds the key at the start of each element; the stride is a parameter.

#include "program.h"

struct s {
  u32 key;
  u32 val;
  u64 z;
  char *n;
};
__attribute__((noinline)) u32 find(const void *base, size_t stride, int n,
                                   u32 k) {
  for (int i = 0; i < n; i++) {
    const u32 *p = (const void *)((const char *)base + i * stride);
    if (*p == k)
      return i;
  }
  return 99;
}
int main() {
  struct s v[3] = {
      {.key = 5, .val = 1}, {.key = 6, .val = 2}, {.key = 7, .val = 3}};
  return find(v, sizeof v[0], 3, 6) != 1;
}
