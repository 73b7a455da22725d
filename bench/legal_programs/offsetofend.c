// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#define offsetofend(T, m) (offsetof(T, m) + sizeof(((T *)0)->m))
struct s {
  u64 q;
  u32 a;
  u32 b;
  int v;
  char *n;
};
__attribute__((noinline)) int copyin(struct s *d, void *src, size_t len) {
  if (len < offsetofend(struct s, b))
    return -1;
  memcpy(d, src, len < sizeof(*d) ? len : sizeof(*d));
  return 0;
}
int main(void) {
  struct s x = {0}, y = {.q = 1, .a = 2, .b = 3, .v = 4};
  if (copyin(&x, &y, 16))
    return 1;
  return !(x.q == 1 && x.a == 2 && x.b == 3 && x.v == 0);
}
