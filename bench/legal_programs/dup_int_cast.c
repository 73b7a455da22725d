// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int type;
  u64 t;
  char *n;
  int w;
};
__attribute__((noinline)) int ty(void *o) { return *(int *)o; }
int main() {
  struct s x = {.type = 3, .t = 4};
  return ty(&x) != 3;
}
