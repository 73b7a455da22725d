// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a : 4;
  u32 b : 4;
  u32 c : 24;
  int v;
  char *n;
};
__attribute__((noinline)) u32 word(struct s *p) { return *(u32 *)p; }
int main(void) {
  struct s x = {.a = 1, .b = 2};
  return (word(&x) & 0xff) != 0x21;
}
