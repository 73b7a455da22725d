// SPDX-License-Identifier: GPL-2.0-or-later

#include "coherence.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ORDERS = 16, MAX_BYTES = 16384, OBJECTS = 1 << 16 };

struct object {
  uint64_t address, lines;
  uint64_t *holders; // for each order and line a bit for each CPU
};
static struct object *objects;
static uint16_t place[MAX_ORDERS][MAX_BYTES];
static unsigned orders;
static uint64_t longest; // the end of the order that takes most bytes
static uint64_t line_bytes, accesses, misses[MAX_ORDERS], upgrades[MAX_ORDERS];
static uint64_t missed_at[MAX_ORDERS][MAX_BYTES]; // by place in memory
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void coherence_init(const char *path) {
  FILE *file = fopen(path, "r");
  char text[128];
  if (!file)
    fail("cannot read", path);
  for (unsigned order = 0; order < MAX_ORDERS; ++order)
    for (unsigned i = 0; i < MAX_BYTES; ++i)
      place[order][i] = i;
  while (fgets(text, sizeof text, file)) {
    unsigned long order, from, to, bytes;
    if (sscanf(text, "line %lu", &line_bytes) == 1 && line_bytes >= 32)
      continue;
    if (sscanf(text, "orders %u", &orders) == 1 && orders <= MAX_ORDERS)
      continue;
    if (sscanf(text, "map %lu %lu %lu %lu", &order, &from, &to, &bytes) != 4 ||
        order >= MAX_ORDERS || from + bytes > MAX_BYTES ||
        to + bytes > MAX_BYTES)
      fail("cannot use this line:", text);
    for (unsigned long i = 0; i < bytes; ++i)
      place[order][from + i] = to + i;
    if (to + bytes > longest)
      longest = to + bytes;
  }
  fclose(file);
  if (!line_bytes || !orders)
    fail("no line or no order in", path);
  objects = zeros(OBJECTS, sizeof *objects);
}

// Two objects in one slot: the older one is forgotten.
static struct object *find(uint64_t begin, uint64_t stride) {
  struct object *object =
      &objects[begin * 0x9e3779b97f4a7c15ull >> 32 & (OBJECTS - 1)];
  if (object->address == begin)
    return object;
  free(object->holders);
  object->address = begin;
  // An object may be shorter than its struct, as task_struct is; its fields may
  // lie anywhere in the struct in another order.
  object->lines = (stride > longest ? stride : longest) / line_bytes + 2;
  object->holders = zeros(orders * object->lines, sizeof *object->holders);
  return object;
}

static void touch(struct object *object, unsigned order, uint64_t line,
                  unsigned offset, uint64_t cpu, int store) {
  uint64_t *holders = &object->holders[order * object->lines + line];
  if (!(*holders & cpu)) {
    misses[order] += *holders != 0; // else nobody had it yet
    missed_at[order][offset] += *holders != 0;
  } else if (store && *holders != cpu) {
    ++upgrades[order];
  }
  *holders = store ? cpu : *holders | cpu;
}

void coherence_access(unsigned vcpu, int store, const struct range *range,
                      uint64_t address, unsigned bytes) {
  uint64_t offset = (address - range->begin) % range->stride;
  uint64_t begin = address - offset;
  if (!orders || vcpu >= 64 || offset + bytes > MAX_BYTES)
    return;
  pthread_mutex_lock(&lock);
  struct object *object = find(begin, range->stride);
  ++accesses;
  for (unsigned order = 0; order < orders; ++order) {
    uint64_t before = ~0ull;
    for (unsigned at = 0; at < bytes; at += bytes > 1 ? bytes - 1 : 1) {
      uint64_t line =
          (begin % line_bytes + place[order][offset + at]) / line_bytes;
      if (line >= object->lines)
        fail("a place behind the end of an object", "");
      if (line != before)
        touch(object, order, line, offset, 1ull << vcpu, store);
      before = line;
    }
  }
  pthread_mutex_unlock(&lock);
}

void coherence_write(const char *path) {
  FILE *file = orders ? fopen(path, "w") : NULL;
  if (orders && !file)
    fail("cannot write", path);
  for (unsigned order = 0; order < orders; ++order)
    fprintf(file, "%u %lu %lu %lu\n", order, accesses, misses[order],
            upgrades[order]);
  for (unsigned order = 0; order < orders; ++order)
    for (unsigned i = 0; i < MAX_BYTES; ++i)
      if (missed_at[order][i])
        fprintf(file, "at %u %u %lu\n", order, i, missed_at[order][i]);
  if (file && fclose(file))
    fail("cannot write", path);
}
