// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes hang on another record.
// OPAQUE: code

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
struct pkt {
  int len;
  u8 *data;
};
__attribute__((noinline)) int code(struct pkt *k) {
  struct s *p = (struct s *)k->data;
  return p->code;
}
int main(void) {
  u8 bytes[16] __attribute__((aligned(8))) = {1, 2};
  struct pkt k = {16, bytes};
  return code(&k) != 2;
}
