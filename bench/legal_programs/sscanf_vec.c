// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  float x;
  float y;
  float z;
  u64 q;
};
__attribute__((noinline)) float dot(const float *v) {
  return v[0] * 100 + v[1] * 10 + v[2];
}
int main() {
  struct s p = {.x = 1, .y = 2, .z = 3};
  return dot(&p.x) != 123;
}
