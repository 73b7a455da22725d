// SPDX-License-Identifier: GPL-2.0-or-later
// A header at some place of a buffer.
// OPAQUE: code

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
__attribute__((noinline)) int code(const char *buf, int at) {
  struct s *p = (struct s *)(buf + at);
  return p->code;
}
int main(void) {
  char pkt[32] __attribute__((aligned(8))) = {9, 9, 9, 9, 9, 9, 9, 9, 1, 2};
  return code(pkt, 8) != 2;
}
