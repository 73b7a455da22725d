// SPDX-License-Identifier: GPL-2.0-or-later
// A driver writes the first member.

#include "program.h"

#include <sys/ioctl.h>
#include <unistd.h>

struct s {
  int waiting;
  u64 a;
  char *n;
  int z;
};
int main(void) {
  struct s x = {.waiting = 0};
  int fd[2];
  if (pipe(fd) || write(fd[1], "abc", 3) != 3)
    return 0;
  ioctl(fd[0], FIONREAD, &x);
  return x.waiting != 3;
}
