// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>
struct s {
  u32 magic;
  u32 ver;
  u64 len;
  char tag[8];
};
int main() {
  int fd = memfd_create("x", 0);
  ftruncate(fd, 4096);
  write(fd, "\x34\x12\0\0\2\0\0\0", 8);
  struct s *p = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
  return !(p->magic == 0x1234 && p->ver == 2);
}
