// SPDX-License-Identifier: GPL-2.0-or-later
//
// Offsets as raw numbers, given by the caller.
// OPAQUE: rd

#include "program.h"

struct s {
  u32 regs0;
  u32 regs1;
  u64 z;
  u32 regs2;
  u32 regs3;
};
__attribute__((noinline)) u32 rd(struct s *p, unsigned off) {
  return *(u32 *)((char *)p + off);
}
int main() {
  struct s x = {.regs0 = 1, .regs1 = 2, .regs2 = 3, .regs3 = 4};
  return !(rd(&x, 4) == 2 && rd(&x, 16) == 3);
}
