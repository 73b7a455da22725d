// SPDX-License-Identifier: GPL-2.0-or-later
// Functions in an array take the record for another.

#include "program.h"

struct hdr {
  int op;
};
struct s {
  int op;
  u64 a;
  char *n;
  int z;
};
static int run(void *p) { return ((struct hdr *)p)->op; }
static int (*volatile ops[])(void *) = {run};
int main(void) {
  struct s x = {.op = 5};
  return ops[0](&x) != 5;
}
