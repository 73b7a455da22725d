// SPDX-License-Identifier: GPL-2.0-or-later
// A raw offset behind a pointer that forgot its type.

#include "program.h"

struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
__attribute__((noinline)) u32 second(const void *any) { return *(const u32 *)((const char *)any + 4); }
int main(void) {
  struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  return second(&x) != 2;
}
