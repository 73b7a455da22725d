// SPDX-License-Identifier: GPL-2.0-or-later
//
// One cause of cache misses for each class: litmus CLASS cause|control. Memory
// is touched in `buffer` alone, but for the program's own stack. The control
// does the same work without the cause.
//
// Two CPUs are played by one thread: a store to turn_of[N] says that CPU N does
// what follows. With -DTHREADS they are two threads, for recorders that know
// threads: both go through all of it, and each does what is its turn.

#include <stdatomic.h>
#include <string.h>

enum { LINE = 64, LINES = 4096, TURNS = 2000 };

struct line {
  volatile char here;
  char between[7];
  volatile char there;
  char rest[LINE - 9];
};
_Alignas(1 << 20) struct line buffer[(1 << 20) / LINE];

#ifdef THREADS
#include <pthread.h>
#include <sched.h>

static _Thread_local int me, now, turns;
static atomic_int finished; // the last turn that is over
static int is_mine(void) { return now == me; }
static void turn(int cpu) {
  if (is_mine())
    finished = turns;
  now = cpu;
  ++turns;
  while (is_mine() && finished != turns - 1)
    sched_yield();
}
#else
volatile char turn_of[2];
static int is_mine(void) { return 1; }
static void turn(int cpu) { turn_of[cpu] = 1; }
#endif

// Valgrind leaves out loads that nobody needs.
static volatile char loaded;
static void load(int line) {
  if (is_mine())
    loaded = buffer[line].here;
}
static void load_there(int line) {
  if (is_mine())
    loaded = buffer[line].there;
}
static void store(int line) {
  if (is_mine())
    buffer[line].here = 1;
}

static void sweeps(int rounds, int lines, int stride) {
  for (int round = 0; round < rounds; ++round)
    for (int line = 0; line < lines; ++line)
      load(line * stride);
}

// Lines never touched before; the control stays on one.
static void cold(int cause) {
  for (int line = 0; line < LINES; ++line)
    load(cause ? line : 0);
}

// Twice or half of 32 KiB, over and over.
static void capacity(int cause) { sweeps(200, cause ? 1024 : 256, 1); }

// 16 lines, of one set of 8 ways or of 16 sets.
static void conflict(int cause) { sweeps(5000, 16, cause ? 64 : 1); }

// CPU 1 touches for the first time what CPU 0 has just written, or read.
static void handed_over(int written) {
  for (int line = 0; line < LINES; ++line) {
    turn(0);
    if (written)
      store(line);
    else
      load(line);
    turn(1);
    load(line);
  }
}
static void cold_foreign(int cause) { handed_over(cause); }
static void cold_clean(int cause) { handed_over(!cause); }

// CPU 0 writes `here`; CPU 1 reads that, or what is beside it, or another line.
enum { HERE = 1, THERE = 2, ELSEWHERE = 4 };
static void ping_pong(int reads) {
  for (int i = 0; i < TURNS; ++i) {
    turn(0);
    store(0);
    turn(1);
    if (reads & THERE)
      load_there(0);
    if (reads & HERE)
      load(0);
    if (reads & ELSEWHERE)
      load(1);
  }
}
static void true_sharing(int cause) { ping_pong(cause ? HERE : ELSEWHERE); }
static void false_sharing(int cause) { ping_pong(cause ? THERE : ELSEWHERE); }
static void lifetime(int cause) { ping_pong(cause ? THERE | HERE : THERE); }

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

static void (*play)(int cause);
static int with_cause;

#ifdef THREADS
static void *as_cpu(void *cpu) {
  me = cpu != NULL;
  play(with_cause);
  turn(-1);
  return NULL;
}
static void run(void) {
  pthread_t cpus[2];
  pthread_create(&cpus[0], NULL, as_cpu, NULL);
  pthread_create(&cpus[1], NULL, as_cpu, &cpus);
  pthread_join(cpus[0], NULL);
  pthread_join(cpus[1], NULL);
}
#else
static void run(void) { play(with_cause); }
#endif

int main(int argc, char **argv) {
  for (unsigned i = 0; argc == 3 && i < sizeof cases / sizeof *cases; ++i)
    if (!strcmp(argv[1], cases[i].name)) {
      play = cases[i].play;
      with_cause = !strcmp(argv[2], "cause");
      run();
      return 0;
    }
  return 2;
}
