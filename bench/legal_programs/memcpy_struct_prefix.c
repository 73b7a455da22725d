// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct hdr {
  u32 x;
  u32 y;
};
struct s {
  u32 a;
  u32 b;
  char *c;
  int z;
};
__attribute__((noinline)) void cp(struct s *d, struct hdr *h) {
  memcpy(d, h, sizeof *h);
}
int main() {
  struct s y = {.z = 9};
  struct hdr h = {2, 3};
  cp(&y, &h);
  return !(y.a == 2 && y.b == 3 && !y.c && y.z == 9);
}
