// SPDX-License-Identifier: GPL-2.0-or-later
// A generic exchange of two objects.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) void swap(void *a, void *b, size_t n) {
  char *p = a, *q = b;
  while (n--) {
    char t = *p;
    *p++ = *q;
    *q++ = t;
  }
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  struct s y = {.a = 9, .d = 8};
  swap(&x, &y, sizeof x);
  return !(x.a == 9 && x.d == 8 && y.a == 1 && y.d == 4);
}
