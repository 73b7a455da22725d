// SPDX-License-Identifier: GPL-2.0-or-later
// A register file: the type is forgotten in the call.
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
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(get(&x, 4) == 2 && get(&x, 16) == 3);
}
