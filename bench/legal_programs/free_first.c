// SPDX-License-Identifier: GPL-2.0-or-later
//
// The object is given back by a pointer to the record that it begins with.

#include "program.h"
#include <stdlib.h>

struct source {
  void *ops;
  int fd;
};
struct s {
  struct source base;
  u32 slot;
  u64 deadline;
};
__attribute__((noinline)) struct source *add(void) {
  struct s *made = calloc(1, sizeof(*made));
  made->slot = 1;
  return &made->base;
}
__attribute__((noinline)) void drop(struct source *old) {
  old->fd = -1;
  free(old);
}
int main(void) {
  drop(add());
  return 0;
}
