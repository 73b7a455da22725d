// SPDX-License-Identifier: GPL-2.0-or-later
//
// Address mode: the objects of loaded files, and the table that instrumented
// code looks addresses up in.

#include "Internal.h"

#include <string.h>

// In Pages.c, which is linked in only with code that looks addresses up.
extern struct kst_page __kst_pages[] __attribute__((weak));

struct loaded {
  const struct kst_object *object; // NULL: gone
  struct kst_record *record;
  bool shared; // its counts are those of an object before it
};
static struct loaded *list;
static size_t count, room;

static uint64_t hash_of(const char *name) { // FNV-1a, 64 bits
  uint64_t hash = 0xcbf29ce484222325ull;
  for (; *name; ++name)
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
  return hash;
}

static struct kst_page *free_slot(uint64_t page) {
  struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
  for (int way = 0; way < KST_PAGE_WAYS; ++way)
    if (!slot[way].page)
      return &slot[way];
  return NULL;
}

static void take_out(const struct kst_object *object, uint64_t base) {
  uint64_t last = (base + object->size - 1) >> 12;
  for (uint64_t page = base >> 12; page <= last; ++page) {
    struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
    for (int way = 0; way < KST_PAGE_WAYS; ++way)
      if (slot[way].page == page && slot[way].base == base)
        __atomic_store_n(&slot[way].page, 0, __ATOMIC_RELEASE);
  }
}

// All pages of one element, or none.
static bool put_in(const struct kst_object *object, uint64_t base) {
  uint64_t last = (base + object->size - 1) >> 12;
  for (uint64_t page = base >> 12; page <= last; ++page) {
    struct kst_page *slot = free_slot(page);
    if (!slot) {
      take_out(object, base);
      return false;
    }
    slot->base = base;
    slot->counts = object->counts;
    slot->size = object->size;
    slot->cpu = ~0u;
    __atomic_store_n(&slot->page, page, __ATOMIC_RELEASE);
  }
  return true;
}

static bool known(const struct kst_object *object) {
  for (size_t i = 0; i < count; ++i)
    if (list[i].object == object)
      return true;
  return false;
}

static bool counts_known(const struct kst_object *object) {
  for (size_t i = 0; i < count; ++i)
    if (list[i].object && list[i].object->counts == object->counts)
      return true;
  return false;
}

static bool make_room(void) {
  if (count < room)
    return true;
  struct loaded *more = kst_memory((room ? room * 2 : 64) * sizeof *more);
  if (!more)
    return false;
  if (count)
    memcpy(more, list, count * sizeof *more);
  list = more;
  room = room ? room * 2 : 64;
  return true;
}

void kst_objects_load(const struct kst_object *objects, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const struct kst_object *object = &objects[i];
    // Linkers may pad the section with zeros.
    if (!object->size || object->version != KST_ABI_VERSION || known(object))
      continue;
    const char *name = (const char *)(uintptr_t)object->name;
    struct kst_record *record =
        kst_record_of(KST_COUNT_OBJECT, hash_of(name), object->size * 2);
    if (!record || !make_room()) {
      ++kst_process.lost_objects;
      continue;
    }
    list[count] = (struct loaded){object, record, counts_known(object)};
    ++count;
    if (!__kst_pages)
      continue;
    bool all = true;
    for (uint32_t e = 0; e < object->number; ++e)
      all &= put_in(object, object->address + (uint64_t)e * object->size);
    kst_process.lost_objects += !all;
  }
}

void kst_objects_unload(const struct kst_object *objects, size_t n) {
  for (size_t i = 0; i < count; ++i) {
    const struct kst_object *object = list[i].object;
    if (!object || object < objects || object >= objects + n)
      continue;
    if (__kst_pages)
      for (uint32_t e = 0; e < object->number; ++e)
        take_out(object, object->address + (uint64_t)e * object->size);
    if (!list[i].shared)
      kst_add(list[i].record->by[KST_ALL].totals,
              (const uint64_t *)(uintptr_t)object->counts, object->size * 2);
    list[i].object = NULL;
  }
}

void kst_objects_sum(void) {
  for (size_t i = 0; i < count; ++i)
    if (list[i].object && !list[i].shared)
      kst_add(list[i].record->by[KST_ALL].sum,
              (const uint64_t *)(uintptr_t)list[i].object->counts,
              list[i].record->n);
}

void kst_objects_zero(void) {
  for (size_t i = 0; i < count; ++i)
    if (list[i].object)
      memset((void *)(uintptr_t)list[i].object->counts, 0,
             sizeof(uint64_t) * list[i].record->n);
}

const struct kst_object *kst_object_at(size_t i) { return list[i].object; }
size_t kst_objects_count(void) { return count; }
