// SPDX-License-Identifier: GPL-2.0-or-later
// As many bytes as there are, into a member that is an array.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
  char name[16];
  u8 data[32];
};
__attribute__((noinline)) void fill(struct s *p, const char *name, const u8 *from, size_t n) {
  memcpy(p->data, from, n);
  strncpy(p->name, name, n);
  for (size_t i = 0; i < n; i++)
    p->data[i]++;
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  fill(&x, "abc", (const u8 *)"xyz", 3);
  return !(x.a == 1 && x.d == 4 && x.data[0] == 'y' && x.name[0] == 'a');
}
