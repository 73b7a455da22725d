// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct addr {
  u16 family;
  char data[30];
};
struct s {
  u16 in_family;
  u16 port;
  u32 ip;
  u64 pad;
  int hits;
};
struct s6 {
  u16 in6_family;
  u16 port6;
  u64 ip[2];
};
__attribute__((noinline)) int fam(struct addr *a) { return a->family; }
int main() {
  struct s x = {.in_family = 2, .port = 80, .ip = 7};
  struct s6 y = {.in6_family = 10};
  if (fam((struct addr *)&x) != 2 || fam((struct addr *)&y) != 10)
    return 1;
  return 0;
}
