// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int z;
  int a;
  int b;
  int c;
  u64 d;
  int e;
};
__attribute__((noinline)) int kind(int off) {
  switch (off) {
  case offsetof(struct s, a)... offsetof(struct s, c) + 3:
    return 1;
  case offsetof(struct s, d):
    return 2;
  default:
    return 0;
  }
}
int main(void) {
  return !(
      kind(offsetof(struct s, b)) == 1 && kind(offsetof(struct s, a)) == 1 &&
      kind(offsetof(struct s, z)) == 0 && kind(offsetof(struct s, e)) == 0);
}
