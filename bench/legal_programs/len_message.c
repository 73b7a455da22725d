// SPDX-License-Identifier: GPL-2.0-or-later
// As many bytes as a message has.
// OPAQUE: take

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
struct msg {
  int len;
  u8 data[64];
};
__attribute__((noinline)) void take(struct s *p, const struct msg *m) { memcpy(p, m->data, m->len); }
int main(void) {
  struct s x = {.c = 7};
  struct msg m = {.len = 8, .data = {1, 0, 0, 0, 2}};
  take(&x, &m);
  return !(x.a == 1 && x.b == 2 && x.c == 7);
}
