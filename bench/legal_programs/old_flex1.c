// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int n;
  u64 h;
  char *z;
  char data[1];
};
__attribute__((noinline)) struct s *mk(const char *t) {
  struct s *p = calloc(1, sizeof(*p) + strlen(t));
  strcpy(p->data, t);
  return p;
}
int main() {
  struct s *p = mk("a long string that overruns everything in this struct");
  p->n = 1;
  p->h = 2;
  p->z = 0;
  return strcmp(p->data,
                "a long string that overruns everything in this struct");
}
