// SPDX-License-Identifier: GPL-2.0-or-later
// All bytes of an object, in any order.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 hash(const void *any, size_t n) {
  const u8 *b = any;
  u32 h = 0;
  for (size_t i = 0; i < n; i++)
    h = h * 31 + b[i];
  return h;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct s y;
  memcpy(&y, &x, sizeof x);
  return hash(&x, sizeof x) != hash(&y, sizeof y);
}
