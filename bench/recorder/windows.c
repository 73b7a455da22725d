// SPDX-License-Identifier: GPL-2.0-or-later
//
// Distinct lines of an object within windows of a CPU's accesses. A window
// opens with an access to the object outside of one, and lasts for a number of
// loads and stores of this CPU to anything. So it needs no notion of a visit,
// nothing of the source, and no clock: what else is done meanwhile is what
// makes it long.
//
// Lines of the configuration, numbers in decimal:
//
//   line BYTES           of a cache line
//   window N             length of windows; up to 8 such lines
//   map FROM TO BYTES    bytes of the object, and where they are in the other
//                        order; what is not named stays
//
// Lines of the result, for each length: N WINDOWS LINES LINES_IN_OTHER_ORDER,
// sums over all CPUs and objects.

#include "windows.h"

#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Open windows of a CPU are found by the object's address; two objects in one
// slot close each other's.
enum {
  MAX_VCPUS = 64,
  MAX_LENGTHS = 8,
  SLOTS = 4096,
  MAX_LINES = 256,
  MAX_BYTES = MAX_LINES * 32
};

struct open_window {
  uint64_t object, since;
  uint64_t touched[2][MAX_LINES / 64];
};
static struct cpu {
  struct open_window *open; // SLOTS for each length
  uint64_t windows[MAX_LENGTHS], lines[MAX_LENGTHS][2];
} cpus[MAX_VCPUS];
static uint64_t lengths[MAX_LENGTHS], line_bytes;
static unsigned n_lengths;
static uint16_t elsewhere[MAX_BYTES];

void windows_init(const char *path) {
  FILE *file = fopen(path, "r");
  char text[128];
  if (!file)
    fail("cannot read", path);
  for (unsigned i = 0; i < MAX_BYTES; ++i)
    elsewhere[i] = i;
  while (fgets(text, sizeof text, file)) {
    unsigned long from, to, bytes;
    if (sscanf(text, "line %lu", &line_bytes) == 1 && line_bytes >= 32)
      continue;
    if (sscanf(text, "window %lu", &bytes) == 1 && n_lengths < MAX_LENGTHS)
      lengths[n_lengths++] = bytes;
    else if (sscanf(text, "map %lu %lu %lu", &from, &to, &bytes) == 3 &&
             from + bytes <= MAX_BYTES && to + bytes <= MAX_BYTES)
      for (unsigned long i = 0; i < bytes; ++i)
        elsewhere[from + i] = to + i;
    else
      fail("cannot use this line:", text);
  }
  fclose(file);
  if (!line_bytes || !n_lengths)
    fail("no line or no window in", path);
}

static void touch(struct cpu *cpu, unsigned length, struct open_window *window,
                  int which, uint64_t address) {
  uint64_t line = address / line_bytes - window->object / line_bytes;
  uint64_t bit = 1ull << line % 64;
  if (line >= MAX_LINES || window->touched[which][line / 64] & bit)
    return;
  window->touched[which][line / 64] |= bit;
  ++cpu->lines[length][which];
}

void windows_access(unsigned vcpu, uint64_t clock, const struct range *range,
                    uint64_t address, unsigned bytes) {
  if (!n_lengths || vcpu >= MAX_VCPUS)
    return;
  struct cpu *cpu = &cpus[vcpu];
  if (!cpu->open)
    cpu->open = zeros((uint64_t)SLOTS * n_lengths, sizeof *cpu->open);
  uint64_t offset = (address - range->begin) % range->stride;
  uint64_t object = address - offset;
  uint64_t slot = (object * 0x9e3779b97f4a7c15ull) >> 52;
  for (unsigned i = 0; i < n_lengths; ++i) {
    struct open_window *window = &cpu->open[i * SLOTS + slot];
    if (window->object != object || clock - window->since >= lengths[i]) {
      memset(window, 0, sizeof *window);
      window->object = object;
      window->since = clock;
      ++cpu->windows[i];
    }
    // The access may lie over the end of a line, or of a field.
    for (unsigned at = 0; at < bytes; at += bytes > 1 ? bytes - 1 : 1) {
      touch(cpu, i, window, 0, address + at);
      uint64_t there =
          offset + at < MAX_BYTES ? elsewhere[offset + at] : offset + at;
      touch(cpu, i, window, 1, object + there);
    }
  }
}

void windows_write(const char *path) {
  FILE *file = n_lengths ? fopen(path, "w") : NULL;
  if (n_lengths && !file)
    fail("cannot write", path);
  for (unsigned i = 0; i < n_lengths; ++i) {
    uint64_t windows = 0, lines[2] = {0, 0};
    for (unsigned cpu = 0; cpu < MAX_VCPUS; ++cpu) {
      windows += cpus[cpu].windows[i];
      lines[0] += cpus[cpu].lines[i][0];
      lines[1] += cpus[cpu].lines[i][1];
    }
    fprintf(file, "%lu %lu %lu %lu\n", lengths[i], windows, lines[0], lines[1]);
  }
  if (file && fclose(file))
    fail("cannot write", path);
}
