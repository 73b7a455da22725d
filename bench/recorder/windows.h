// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many lines of an object a CPU touches within so many accesses, in the
// order that the fields have and in another one.

#ifndef KST_BENCH_RECORDER_WINDOWS_H
#define KST_BENCH_RECORDER_WINDOWS_H

#include <stdint.h>

struct range;

// Reads the lines of `path` (windows.c has their list). Ends the process with a
// message if it cannot.
void windows_init(const char *path);

// One access of a CPU to an object. clock: accesses of that CPU to anything, so
// far. Nothing without windows_init(). One thread for each CPU.
void windows_access(unsigned vcpu, uint64_t clock, const struct range *range,
                    uint64_t address, unsigned bytes);

// Writes what was counted.
void windows_write(const char *path);

#endif
