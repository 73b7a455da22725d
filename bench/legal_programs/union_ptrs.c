// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int tag;
  int v;
  u64 q;
  char *n;
};
struct o {
  int tag;
  double d;
};
typedef union {
  struct s *s;
  struct o *o;
  void *p;
} any;
int main(void) {
  struct s a = {.tag = 4};
  any u;
  u.s = &a;
  return u.o->tag != 4;
}
