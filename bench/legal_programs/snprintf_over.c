// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 h;
  char a[8];
  char b[8];
  int n;
};
__attribute__((noinline)) void put(struct s *p) {
  memcpy(p->a, "0123456789abcdef", sizeof(p->a) + sizeof(p->b));
}
int main(void) {
  struct s v;
  memset(&v, 7, sizeof v);
  put(&v);
  return !(v.b[7] == 'f' && v.n == 0x07070707 && v.h == 0x0707070707070707);
}
