// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u64 a;
  u64 b;
  u64 c;
  u32 d;
};
__attribute__((noinline)) u64 rd(struct s *p) {
  u64 v;
  __asm__ volatile("movq 8(%1), %0" : "=r"(v) : "r"(p) : "memory");
  return v;
}
int main() {
  struct s x = {.a = 1, .b = 2, .c = 3};
  return rd(&x) != 2;
}
