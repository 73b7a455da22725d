// SPDX-License-Identifier: GPL-2.0-or-later
// A record that is written as a string.
// OPAQUE: code

#include "program.h"

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
static const char blob[16] __attribute__((aligned(8))) = "\x01\x02\x03";
__attribute__((noinline)) int code(void) { return ((const struct s *)(const void *)blob)->code; }
int main(void) { return code() != 2; }
