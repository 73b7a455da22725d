// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <sys/uio.h>
#include <unistd.h>
#include <fcntl.h>
struct s {
  int magic;
  int ver;
  u64 len;
  char tag[8];
};
__attribute__((noinline)) void wr(int fd, struct s *h) {
  struct iovec v[1];
  v[0].iov_base = h;
  v[0].iov_len = sizeof *h;
  writev(fd, v, 1);
}
int main() {
  struct s x = {.magic = 0x1234, .ver = 2, .len = 3};
  int p[2];
  pipe(p);
  wr(p[1], &x);
  char b[64];
  read(p[0], b, 64);
  return *(int *)b != 0x1234;
}
