// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bytes of a record are read by the function of an attribute cleanup.
// OPAQUE: dump

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};
extern long atol_(const char *);
__attribute__((noinline)) static u32 use(struct s *p) {
  return p->a + p->d + p->b + p->c + (u32)p->z;
}

static u32 seen;
static void dump(void *v) {
  unsigned char *b = v;
  extern int len;
  for (int i = 0; i < len; i++)
    seen = seen * 3 + b[i];
}
int len = 8;
__attribute__((noinline)) void f(void) {
  __attribute__((cleanup(dump))) struct s x = {.a = 1, .b = 2, .c = 3, .d = 4};
  x.a = 1;
}
int main(int c, char **v) {
  f();
  return !(seen == 2241);
}
