// SPDX-License-Identifier: GPL-2.0-or-later
//
// The record is a variable, and the call gets only the offset.
// OPAQUE: rd

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) static u32 use(struct s *p) {
  return p->a + p->d + p->b + p->c + (u32)p->z;
}

struct s g = {.a = 1, .b = 2, .c = 3, .d = 4};
__attribute__((noinline)) u32 rd(unsigned offset) {
  return *(u32 *)((char *)&g + offset);
}
int main(int c, char **v) {
  return !(rd(offsetof(struct s, d)) == 4 && rd(4) == 2 && use(&g));
}
