// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that run a known number of times, in a program with nothing else.
volatile long sink;

static inline void put(long *at, int value) {
  if (value % 3)
    ++at[value % 7];
  else
    at[0] -= value;
}

__attribute__((noinline)) static int rare(volatile long *at) {
  return at[1] + 1;
}

__attribute__((noinline)) static int work(long *at, int n) {
  for (int i = 0; i < n; ++i)
    put(at, i);
  if (n > 5)
    return rare(at);
  return 0;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  long at[7] = {0};
  for (int i = 0; i < 100; ++i)
    sink += work(at, i % 10);
  __asm__ volatile("syscall" : : "a"(60), "D"(0));
  __builtin_unreachable();
}
