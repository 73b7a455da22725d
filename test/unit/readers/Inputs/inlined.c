// SPDX-License-Identifier: GPL-2.0-or-later
//
// A function that is inlined twice. FunctionCodeTests.cpp has its lines.

static inline __attribute__((always_inline)) int twice(volatile int *at) {
  *at += 1;
  return *at;
}

__attribute__((noinline)) static int caller(volatile int *at) {
  int sum = twice(at);
  *at += 7;
  return sum + twice(at);
}

int main(void) {
  volatile int at = 0;
  return caller(&at) != 10;
}
