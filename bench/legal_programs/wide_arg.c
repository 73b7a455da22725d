// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 c;
  u32 start;
  u32 end;
  char *d;
  int e;
};
__attribute__((noinline)) void bump(u64 *p) { *p = 0; }
int main() {
  struct s x;
  memset(&x, 9, sizeof x);
  bump((u64 *)&x.start);
  return !(x.start == 0 && x.end == 0 && x.c && x.d && x.e);
}
