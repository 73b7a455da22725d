// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct base {
  int tag;
  int ref;
};
struct s {
  int tag;
  int ref;
  u64 q;
  char *n;
};
__attribute__((noinline)) struct base *up(struct s *p) {
  return (struct base *)p;
}
int main(void) {
  struct s a = {.tag = 4, .ref = 5};
  return !(up(&a)->tag == 4 && up(&a)->ref == 5);
}
