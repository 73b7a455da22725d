// SPDX-License-Identifier: GPL-2.0-or-later
// The same through a second function.
// OPAQUE: get

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 get(void *base, unsigned reg) {
  return *(u32 *)((u8 *)base + reg);
}
__attribute__((noinline)) u32 any(void *any, unsigned reg) { return get(any, reg); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(any(&x, 4) == 2 && any(&x, 16) == 3);
}
