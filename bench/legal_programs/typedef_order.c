// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  enum kind { K1, K2 } k;
  int pad;
  enum kind other;
  struct inner {
    int q;
  } in;
  struct inner more;
  u64 z;
  char last;
};
int main(void) {
  struct s v = {
      .k = K2, .other = K1, .in = {3}, .more = {4}, .z = 5, .last = 6};
  return !(v.k == K2 && v.in.q == 3 && v.more.q == 4 && v.z == 5);
}
