// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the recorded objects are, while the guest moves them: static variables,
// per-CPU variables as soon as a CPU's area is known, slab objects as slabs
// come and go. All of it is read from the guest's memory.

#ifndef KST_BENCH_RECORDER_OBJECTS_H
#define KST_BENCH_RECORDER_OBJECTS_H

#include <stdint.h>

#define IMAGE_BASE 0xffffffff80000000ull
#define NO_CPU 0xffff

// Objects behind one another, from begin to end; a page can have several.
struct range {
  uint64_t begin, end, stride;
  struct range *next;
  uint16_t id, cpu; // cpu: the owner of a per-CPU object, else NO_CPU
  uint64_t bytes;   // of an object of a cache, without what is noted behind it
  uint64_t note;    // where an object of a noted cache says who allocated it
};

// Instructions that begin and end the recording, after objects_init().
extern uint64_t start_pc, stop_pc;

// Reads the lines of `conf` (accesses.c has their list) and maps the file with
// the guest's memory. Ends the process with a message if it cannot.
void objects_init(const char *conf, const char *ram);

// The objects at an address, or NULL. Any thread.
const struct range *find_range(uint64_t address);

// To be called after every store of the guest: it may have made or moved
// objects. Any thread.
void watch_store(uint64_t address, unsigned bytes);

// Prints what went wrong and ends the process.
void fail(const char *what, const char *name);

// calloc() that does not fail.
void *zeros(uint64_t number, uint64_t size);

#endif
