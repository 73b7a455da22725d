// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <pthread.h>
struct common {
  int fd;
  int flags;
};
struct s {
  int fd;
  int flags;
  u64 v;
  char *n;
  int w;
};
static void *run(void *a) {
  struct common *c = a;
  return (void *)(long)(c->fd * 10 + c->flags);
}
int main() {
  struct s x = {.fd = 3, .flags = 4, .v = 9};
  pthread_t t;
  void *r;
  pthread_create(&t, 0, run, &x);
  pthread_join(t, &r);
  return (long)r != 34;
}
