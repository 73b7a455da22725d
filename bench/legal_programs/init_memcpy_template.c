// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  int b;
  char *name;
  u64 limit;
  int flags;
};
static const u32 tmpl[] = {1, 2};
__attribute__((noinline)) void init(struct s *p) {
  memcpy(p, tmpl, sizeof tmpl);
}
int main(void) {
  struct s v = {0};
  init(&v);
  return !(v.a == 1 && v.b == 2 && !v.flags);
}
