// SPDX-License-Identifier: GPL-2.0-or-later
//
// Misses by coherence of the recorded objects in several orders of their bytes
// at once. Every CPU has a cache that forgets nothing, so that what is missed
// was written by another CPU since: nothing of sizes, ways or time is modelled.

#ifndef KST_BENCH_RECORDER_COHERENCE_H
#define KST_BENCH_RECORDER_COHERENCE_H

#include "objects.h"

// Lines of the file, numbers in decimal:
//
//   line BYTES            of a cache line
//   orders N              at most 15; order 0 is the one in memory
//   map ORDER FROM TO BYTES
//
// What is not named stays. Ends the process with a message if it cannot.
void coherence_init(const char *path);

// One access of a CPU to an object. Nothing without coherence_init(). Any
// thread.
void coherence_access(unsigned vcpu, int store, const struct range *range,
                      uint64_t address, unsigned bytes);

// Writes, for each order: ORDER ACCESSES MISSES UPGRADES. Upgrades: stores to a
// line that other CPUs have, too. Then `at ORDER OFFSET MISSES` for each place
// in memory whose access missed.
void coherence_write(const char *path);

#endif
