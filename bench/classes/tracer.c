// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes each access that clang's instrumentation of kernels (-fsanitize=kernel-address, outlined) tells of into CLASSES_FILE, with its place in one order over
// all threads: by the clock of cycles, or if CLASSES_TURNS is not 0 by a counter that each access steps. Then each thread also yields the CPU now and then, before
// an event of the tool's recorder (the linker wraps it) and behind an access of this one, and no program chooses its CPUs. Threads take parts of the file; the
// rest is zero. Handlers of signals must not access what is recorded.

#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PART 4096ul // also in classes.py
#define PARTS 16384ul

struct entry {
  uint64_t order, address;
  uint32_t bytes;
  uint16_t thread, writes;
};

static struct entry (*parts)[PART];
static uint64_t next_part, next_order;
static uint32_t threads, turns;
static __thread struct entry *at, *behind;
static __thread uint64_t chance;
static __thread uint32_t wait, thread;

__attribute__((constructor(101))) static void begin(void) {
  turns = (uint32_t)atoi(getenv("CLASSES_TURNS"));
  int file = open(getenv("CLASSES_FILE"), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (ftruncate(file, PARTS * sizeof *parts) || (parts = mmap(NULL, PARTS * sizeof *parts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) == MAP_FAILED)
    _exit(99);
}

static uint64_t order(void) { return turns ? __atomic_fetch_add(&next_order, 1, __ATOMIC_SEQ_CST) : __builtin_readcyclecounter(); }

static void yield(void) {
  if (!turns || wait--)
    return;
  chance = (chance + thread) * 6364136223846793005u + 1442695040888963407u;
  wait = (uint32_t)(chance >> 33) % (4 * turns); // called twice an access
  sched_yield();
}

static void record(uintptr_t address, size_t bytes, int writes) {
  if (at == behind) {
    at = parts[__atomic_fetch_add(&next_part, 1, __ATOMIC_RELAXED)]; // beyond the last: ends by a signal
    behind = at + PART;
    thread = thread ? thread : __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  }
  *at++ = (struct entry){order(), address, (uint32_t)bytes, (uint16_t)thread, (uint16_t)writes};
  yield();
}

void __real___kst_trace(void *unit, uint32_t site, const void *address);
void __wrap___kst_trace(void *unit, uint32_t site, const void *address) {
  yield();
  __real___kst_trace(unit, site, address);
}

#define SIZED(N) \
  void __asan_load##N##_noabort(uintptr_t address) { record(address, N, 0); } \
  void __asan_store##N##_noabort(uintptr_t address) { record(address, N, 1); }
SIZED(1) SIZED(2) SIZED(4) SIZED(8) SIZED(16)
void __asan_loadN_noabort(uintptr_t address, size_t bytes) { record(address, bytes, 0); }
void __asan_storeN_noabort(uintptr_t address, size_t bytes) { record(address, bytes, 1); }
void __asan_handle_no_return(void) {}

#define COPIES(NAME) \
  void *__asan_##NAME(void *to, const void *from, size_t bytes) { return record((uintptr_t)from, bytes, 0), record((uintptr_t)to, bytes, 1), NAME(to, from, bytes); }
COPIES(memcpy) COPIES(memmove)
void *__asan_memset(void *to, int with, size_t bytes) { return record((uintptr_t)to, bytes, 1), memset(to, with, bytes); }

static int run_on(pid_t of, size_t bytes, const cpu_set_t *cpus) { return turns ? 0 : (int)syscall(SYS_sched_setaffinity, of, bytes, cpus); }
int sched_setaffinity(pid_t of, size_t bytes, const cpu_set_t *cpus) { return run_on(of, bytes, cpus); }
int pthread_setaffinity_np(unsigned long self, size_t bytes, const cpu_set_t *cpus) { return (void)self, run_on(0, bytes, cpus); }
