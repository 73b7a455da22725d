// SPDX-License-Identifier: GPL-2.0-or-later
// A small function makes the header of the bytes.
// OPAQUE: head

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
static struct s *head(u8 *bytes) { return (struct s *)bytes; }
int main(void) {
  u8 bytes[16] __attribute__((aligned(8))) = {1, 2};
  return head(bytes)->code != 2;
}
