// SPDX-License-Identifier: GPL-2.0-or-later
// What a pipe gives.
// OPAQUE: code

#include "program.h"

#include <unistd.h>

struct s {
  u8 type;
  u8 code;
  u16 sum;
  u32 rest;
};
__attribute__((noinline)) int code(int fd) {
  char buf[64] __attribute__((aligned(8)));
  if (read(fd, buf, sizeof buf) < 8)
    return -1;
  struct s *p = (struct s *)buf;
  return p->code;
}
int main(void) {
  u8 pkt[8] = {1, 2, 3};
  int fd[2];
  if (pipe(fd) || write(fd[1], pkt, 8) != 8)
    return 0;
  return code(fd[0]) != 2;
}
