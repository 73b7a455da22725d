// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  int b;
  u64 c;
  char *n;
};
__attribute__((noinline)) int f(struct s x) { return x.a * 10 + x.b; }
int main() { return f((struct s){1, 2}) != 12; }
