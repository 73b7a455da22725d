// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes of a packet are read as the struct, which nothing marks as a format.
// OPAQUE: code

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
  u64 stamp;
};
__attribute__((noinline)) int code(const u8 *pkt) {
  const struct s *p = (const struct s *)pkt;
  return p->code;
}
int main(void) {
  u8 pkt[32] = {1, 2, 3};
  return code(pkt) != 2;
}
