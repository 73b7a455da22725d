// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  u8 mac[6];
  u16 vlan;
  u64 c;
  int z;
};
__attribute__((noinline)) int eq(struct s *d, struct s *e) {
  return *(u64 *)d->mac == *(u64 *)e->mac;
}
int main() {
  struct s x = {.mac = {1, 2, 3, 4, 5, 6}, .vlan = 7, .c = 1},
           y = {.mac = {1, 2, 3, 4, 5, 6}, .vlan = 7, .c = 2};
  x.z = 1;
  y.z = 2;
  return !eq(&x, &y);
}
