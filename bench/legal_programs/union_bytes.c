// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u8 cmd;
  u8 len;
  u16 arg;
  u32 crc;
};
union frame {
  struct s f;
  u8 raw[8];
};
__attribute__((noinline)) int cmd(union frame *u) {
  return u->raw[0] * 16 + u->raw[1];
}
int main() {
  union frame u = {.f = {.cmd = 3, .len = 4}};
  return cmd(&u) != 0x34;
}
