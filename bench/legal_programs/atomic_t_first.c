// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

typedef struct {
  int counter;
} atomic_t;
struct s {
  atomic_t ref;
  int v;
  u64 q;
  char *n;
};
__attribute__((noinline)) void get(void *o) { ((atomic_t *)o)->counter++; }
int main(void) {
  struct s a = {.v = 4};
  get(&a);
  return !(a.ref.counter == 1 && a.v == 4);
}
