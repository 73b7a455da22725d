// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <stdarg.h>
struct hdr {
  int op;
  int k;
};
struct s {
  int op;
  int k;
  u64 a;
  char *n;
  int z;
};
__attribute__((noinline)) int call(int n, ...) {
  va_list ap;
  va_start(ap, n);
  struct hdr *h = va_arg(ap, struct hdr *);
  va_end(ap);
  return h->op * 10 + h->k;
}
int main() {
  struct s x = {.op = 5, .k = 2};
  return call(1, &x) != 52;
}
