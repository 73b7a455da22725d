// SPDX-License-Identifier: GPL-2.0-or-later
//
// A raw offset into the elements that qsort() compares.

#include "program.h"

struct s {
  int id;
  char name[16];
  u64 q;
  int v;
};
__attribute__((noinline)) int cmp(const void *a, const void *b) {
  return strcmp((const char *)a + 4, (const char *)b + 4);
}
int main(void) {
  struct s v[2] = {{.id = 1, .name = "b"}, {.id = 2, .name = "a"}};
  qsort(v, 2, sizeof v[0], cmp);
  return v[0].id != 2;
}
