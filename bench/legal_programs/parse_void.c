// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same with a global buffer.
// OPAQUE: code

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
static u8 pkt[32] = {1, 2, 3};
__attribute__((noinline)) int code(void) {
  struct s *p = (void *)(pkt + 0);
  return p->code;
}
int main(void) { return code() != 2; }
