// SPDX-License-Identifier: GPL-2.0-or-later
//
// The other record is reached through a call by a local function pointer.

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
static int (*cur)(void *) = run;
int main() {
  struct s x = {.op = 5};
  return cur(&x) != 5;
}
