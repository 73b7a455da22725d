// SPDX-License-Identifier: GPL-2.0-or-later
//
// Words of another size than the member, counted by a function that is not
// seen. OPAQUE: k

#include "program.h"
struct s {
  u32 a;
  u32 b;
  u64 z;
  u32 c;
  u32 d;
};

typedef u32 (*F)(int, u32 *, size_t);
__attribute__((noinline)) u32 k(int fd, struct s *p, size_t n) {
  extern u32 rd_(int, u32 *, size_t n);
  return rd_(fd, (u32 *)&p->z, n);
}
int main(int c, char **v) {
  struct s x = {.a = 1, .b = 2, .z = 7, .c = 3, .d = 4};
  return !(k(0, &x, 3) == 10);
}
__asm__(".text\n.globl rd_\nrd_: xorl %eax,%eax\n1: testq %rdx,%rdx\n je 2f\n "
        "addl (%rsi),%eax\n addq $4,%rsi\n decq %rdx\n jmp 1b\n2: ret\n");
