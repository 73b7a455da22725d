// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int a;
  int b;
  int d;
  u64 c;
  char *n;
};
static struct s t = {.b = 5, 6, 7};
int main() { return !(t.b == 5 && t.d == 6 && t.c == 7); }
