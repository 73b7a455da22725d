// SPDX-License-Identifier: GPL-2.0-or-later
// A byte by a number that the caller gives.
// OPAQUE: byte

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u8 byte(struct s *p, unsigned reg) { return ((u8 *)p)[reg]; }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(byte(&x, 4) == 2 && byte(&x, 16) == 3);
}
