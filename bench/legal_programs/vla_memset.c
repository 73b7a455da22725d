// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 h;
  u32 a;
  u32 b;
  u32 c;
  u64 n;
};
#define zero_from(p, m)                                                        \
  memset((char *)(p) + offsetof(struct s, m), 0,                               \
         sizeof(*(p)) - offsetof(struct s, m))
__attribute__((noinline)) void put(struct s *p) { zero_from(p, b); }
int main(void) {
  struct s v;
  memset(&v, 7, sizeof v);
  put(&v);
  return !(v.a && !v.b && !v.c && !v.n && v.h);
}
