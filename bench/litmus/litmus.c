// SPDX-License-Identifier: GPL-2.0-or-later
//
// One cause of cache misses for each class: litmus CLASS cause|control. Memory
// is touched in `buffer` alone, but for the program's own stack. Two CPUs are
// played by one thread: a store to turn_of[N] says that CPU N does what
// follows. The control does the same work without the cause.

#include <string.h>

enum { LINE = 64, LINES = 4096, TURNS = 2000 };

_Alignas(1 << 20) volatile char buffer[1 << 20];
volatile char turn_of[2];

// Valgrind leaves out loads that nobody needs.
static volatile char loaded;
static void load(int offset) { loaded = buffer[offset]; }
static void store(int offset) { buffer[offset] = 1; }
static void turn(int cpu) { turn_of[cpu] = 1; }

static void sweeps(int rounds, int lines, int stride) {
  for (int round = 0; round < rounds; ++round)
    for (int line = 0; line < lines; ++line)
      load(line * stride);
}

// Lines never touched before; the control stays on one.
static void cold(int cause) {
  for (int line = 0; line < LINES; ++line)
    load(cause ? line * LINE : 0);
}

// Twice or half of 32 KiB, over and over.
static void capacity(int cause) { sweeps(200, cause ? 1024 : 256, LINE); }

// 16 lines, of one set of 8 ways or of 16 sets.
static void conflict(int cause) { sweeps(5000, 16, cause ? 4096 : LINE); }

// CPU 1 touches for the first time what CPU 0 has just written, or read.
static void handed_over(int written) {
  for (int line = 0; line < LINES; ++line) {
    turn(0);
    if (written)
      store(line * LINE);
    else
      load(line * LINE);
    turn(1);
    load(line * LINE);
  }
}
static void cold_foreign(int cause) { handed_over(cause); }
static void cold_clean(int cause) { handed_over(!cause); }

// CPU 0 writes the first bytes of a line, CPU 1 reads `there`, then maybe them.
static void ping_pong(int there, int written_bytes_too) {
  for (int i = 0; i < TURNS; ++i) {
    turn(0);
    store(0);
    turn(1);
    load(there);
    if (written_bytes_too)
      load(0);
  }
}
static void true_sharing(int cause) { ping_pong(cause ? 0 : LINE, 0); }
static void false_sharing(int cause) { ping_pong(cause ? 8 : LINE, 0); }
static void lifetime(int cause) { ping_pong(8, cause); }

static const struct {
  const char *name;
  void (*play)(int cause);
} cases[] = {{"cold", cold},
             {"cold-foreign", cold_foreign},
             {"cold-clean", cold_clean},
             {"true-sharing", true_sharing},
             {"false-sharing", false_sharing},
             {"conflict", conflict},
             {"capacity", capacity},
             {"lifetime", lifetime}};

int main(int argc, char **argv) {
  for (unsigned i = 0; argc == 3 && i < sizeof cases / sizeof *cases; ++i)
    if (!strcmp(argv[1], cases[i].name)) {
      cases[i].play(!strcmp(argv[2], "cause"));
      return 0;
    }
  return 2;
}
