// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  u64 b;
  u8 c;
  u64 d;
  int e;
};
struct big {
  char head[offsetof(struct s, d)];
  u64 d;
};
__attribute__((noinline)) u64 get(void *p) { return ((struct big *)p)->d; }
int main(void) {
  struct s v = {.a = 1, .b = 2, .c = 3, .d = 4};
  return get(&v) != 4;
}
