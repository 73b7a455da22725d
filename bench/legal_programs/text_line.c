// SPDX-License-Identifier: GPL-2.0-or-later
// A line of text is parsed into members.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) int parse(struct s *p, const char *line, size_t n) {
  size_t i = 0;
  p->a = p->b = 0;
  for (; i < n && line[i] != ' '; i++)
    p->a = p->a * 10 + line[i] - '0';
  for (i++; i < n; i++)
    p->b = p->b * 10 + line[i] - '0';
  return 0;
}
int main(void) {
  struct s x;
  parse(&x, "12 34", 5);
  return !(x.a == 12 && x.b == 34);
}
