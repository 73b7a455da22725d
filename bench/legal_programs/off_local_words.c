// SPDX-License-Identifier: GPL-2.0-or-later
// A local pointer to words, from one that forgot its type.
// OPAQUE: word

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 word(void *any, unsigned i) {
  u32 *w = any;
  return w[i];
}
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return !(word(&x, 1) == 2 && word(&x, 4) == 3);
}
