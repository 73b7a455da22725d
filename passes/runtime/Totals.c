// SPDX-License-Identifier: GPL-2.0-or-later
//
// The records of the counters file: found by hash, listed in order.

#include "Internal.h"

#include <string.h>

// Open addressing, at most half full; `order` has the same records sorted.
static struct kst_record **slots, **order;
static size_t slot_count, record_count;

static size_t slot_of(uint32_t kind, uint64_t hash, uint32_t n) {
  uint64_t mixed = (hash ^ kind ^ (uint64_t)n << 32) * 0x9e3779b97f4a7c15ull;
  size_t i = mixed >> 20 & (slot_count - 1);
  while (slots[i] &&
         (slots[i]->hash != hash || slots[i]->kind != kind || slots[i]->n != n))
    i = (i + 1) & (slot_count - 1);
  return i;
}

static bool grow(void) {
  size_t count = slot_count ? slot_count * 2 : 256;
  struct kst_record **more = kst_memory(count * sizeof *more);
  struct kst_record **sorted = kst_memory(count / 2 * sizeof *sorted);
  if (!more || !sorted)
    return false;
  slots = more;
  slot_count = count;
  if (record_count)
    memcpy(sorted, order, record_count * sizeof *sorted);
  order = sorted;
  for (size_t i = 0; i < record_count; ++i)
    slots[slot_of(order[i]->kind, order[i]->hash, order[i]->n)] = order[i];
  return true;
}

static bool before(const struct kst_record *a, const struct kst_record *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind;
  return a->hash != b->hash ? a->hash < b->hash : a->n < b->n;
}

struct kst_record *kst_record_of(uint32_t kind, uint64_t hash, uint32_t n) {
  if (slot_count) {
    struct kst_record *found = slots[slot_of(kind, hash, n)];
    if (found)
      return found;
  }
  if (record_count >= slot_count / 2 && !grow())
    return NULL;
  struct kst_record *record = kst_memory(sizeof *record);
  uint64_t *counts = kst_memory((size_t)n * 6 * sizeof *counts);
  if (!record || !counts)
    return NULL;
  uint64_t *others = counts + (size_t)n * 3;
  *record = (struct kst_record){hash,
                                kind,
                                n,
                                {{counts, counts + n, counts + (size_t)n * 2},
                                 {others, others + n, others + (size_t)n * 2}}};
  slots[slot_of(kind, hash, n)] = record;
  size_t i = record_count++;
  for (; i && before(record, order[i - 1]); --i)
    order[i] = order[i - 1];
  order[i] = record;
  return record;
}

size_t kst_record_count(void) { return record_count; }
struct kst_record *kst_record_at(size_t index) { return order[index]; }

void kst_add(uint64_t *sums, const uint64_t *counters, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i)
    sums[i] += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
}
