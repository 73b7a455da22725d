// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prints the name of each caller of an allocator, and where the call returns.

#include <stdio.h>
#include <stdlib.h>

struct point {
  long x, y, z;
};
struct line {
  struct point from, to;
  long more[];
};
struct holder {
  struct point *kept;
};
struct page {
  long words[16];
};
struct book {
  struct page first;
  long pages;
};

__attribute__((noinline)) static void *allocate(const char *caller,
                                                size_t bytes) {
  printf("%s %p\n", caller, __builtin_return_address(0));
  return calloc(1, bytes);
}
__attribute__((noinline)) static void use(void *what) {
  __asm__ volatile("" : : "r"(what) : "memory");
}
static inline void *wrapped(const char *caller, size_t bytes) {
  return allocate(caller, bytes);
}

__attribute__((noinline)) static int stored(struct holder *in) {
  struct point *made = allocate("stored", sizeof *made);
  in->kept = made;
  if (!made)
    return 1;
  use(in);
  made->x = 1;
  use(made);
  return 0;
}
__attribute__((noinline)) static int inlined(void) {
  struct line *made = wrapped("inlined", sizeof *made + 3 * sizeof(long));
  use(made);
  made->to.x = 2;
  use(made);
  return 0;
}
__attribute__((noinline)) static int begun(void) {
  struct book known;
  struct page *made = allocate("begun", sizeof known);
  use(made);
  made->words[0] = 1;
  use(made);
  use(&known);
  return 0;
}
__attribute__((noinline)) static int untyped(struct point *other) {
  void *made = allocate("untyped", sizeof *other);
  use(made);
  other->x = made != NULL;
  return 0;
}

int main(void) {
  struct point other;
  struct holder in;
  return stored(&in) + inlined() + begun() + untyped(&other);
}
