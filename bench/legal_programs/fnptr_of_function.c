// SPDX-License-Identifier: GPL-2.0-or-later
// A variable of the function holds it.

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
static int none(void *p) { return !p; }
int main(int argc, char **argv) {
  int (*f)(void *) = argc > 3 ? none : run;
  struct s x = {.op = 5};
  return f(&x) != 5;
}
