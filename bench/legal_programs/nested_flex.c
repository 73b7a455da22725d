// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct in {
  int n;
  char d[];
};
struct s {
  int k;
  u64 h;
  char *z;
  struct in in;
};
__attribute__((noinline)) struct s *mk(const char *t) {
  struct s *p = calloc(1, sizeof(*p) + strlen(t) + 1);
  strcpy(p->in.d, t);
  return p;
}
int main() {
  struct s *p = mk("a long string that overruns everything in this struct");
  p->k = 1;
  p->h = 2;
  p->z = 0;
  return strcmp(p->in.d,
                "a long string that overruns everything in this struct");
}
