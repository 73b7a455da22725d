// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
  int port;
  int backlog;
  char *name;
  u64 limit;
  int flags;
};
struct opt {
  const char *n;
  size_t off;
  int type;
};
static struct opt opts[] = {{"port", offsetof(struct s, port), 0},
                            {"name", offsetof(struct s, name), 1}};
int main(void) {
  struct s v = {0};
  *(int *)((char *)&v + opts[0].off) = 80;
  *(char **)((char *)&v + opts[1].off) = "x";
  return !(v.port == 80 && v.name[0] == 'x' && !v.backlog);
}
