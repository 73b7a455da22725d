// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u32 c;
  u64 d;
  char *e;
};
static const size_t hdr_len = offsetof(struct s, d);
__attribute__((noinline)) void clr(struct s *p) { memset(p, 0, hdr_len); }
int main() {
  struct s x;
  memset(&x, 9, sizeof x);
  clr(&x);
  return !(!x.a && !x.b && !x.c && x.d && x.e);
}
