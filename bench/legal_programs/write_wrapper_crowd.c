// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#include <unistd.h>
struct s {
  int magic;
  int ver;
  u64 len;
  char tag[8];
};
struct r1 {
  int a;
  u64 b;
};
struct r2 {
  int a;
  u64 b;
};
struct r3 {
  int a;
  u64 b;
};
struct r4 {
  int a;
  u64 b;
};
struct r5 {
  int a;
  u64 b;
};
struct r6 {
  int a;
  u64 b;
};
struct r7 {
  int a;
  u64 b;
};
__attribute__((noinline)) void put(int fd, const void *d, size_t n) {
  write(fd, d, n);
}
int main() {
  struct s x = {.magic = 0x1234, .ver = 2, .len = 3};
  struct r1 a;
  struct r2 b;
  struct r3 c;
  struct r4 d;
  struct r5 e;
  struct r6 f;
  struct r7 g;
  int p[2];
  pipe(p);
  put(p[1], &x, sizeof x);
  char bf[64];
  read(p[0], bf, 64);
  put(p[1], &a, sizeof a);
  put(p[1], &b, sizeof b);
  put(p[1], &c, sizeof c);
  put(p[1], &d, sizeof d);
  put(p[1], &e, sizeof e);
  put(p[1], &f, sizeof f);
  put(p[1], &g, sizeof g);
  return *(int *)bf != 0x1234;
}
