// SPDX-License-Identifier: GPL-2.0-or-later

#include "objects.h"

#include "guest.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_SIZE 0x20000000ull

enum { MAX_OBJECTS = 256, MAX_CACHES = 1024 };

void fail(const char *what, const char *name) {
  fprintf(stderr, "recorder: %s %s\n", what, name);
  exit(1);
}

void *zeros(uint64_t number, uint64_t size) {
  void *memory = calloc(number, size);
  if (!memory)
    fail("out of memory", "");
  return memory;
}

// ---- what to record

struct object_spec {
  unsigned id;
  uint64_t at, stride, number;
};
static struct object_spec statics[MAX_OBJECTS], percpus[MAX_OBJECTS];
static unsigned n_statics, n_percpus, n_slabs, n_kmallocs;
static struct {
  unsigned id;
  uint64_t first, end; // code
  uint64_t size;
} kmallocs[MAX_OBJECTS];
static struct {
  unsigned id;
  char cache[64];
} slabs[MAX_OBJECTS];
uint64_t start_pc, stop_pc;
static uint64_t cpu_table, n_cpus, boot_offset;
static uint64_t slab_type, head_flag, cache_at, type_at, name_at, size_at;
static uint64_t inuse_at, offset_at;

static void read_line(const char *line) {
  struct object_spec spec;
  char name[64];
  if (guest_line(line) ||
      sscanf(line, "window %lx %lx", &start_pc, &stop_pc) == 2 ||
      sscanf(line, "cpus %lx %lx %lx", &cpu_table, &n_cpus, &boot_offset) ==
          3 ||
      sscanf(line, "slabs %lx %lx %lx %lx %lx %lx %lx %lx", &slab_type,
             &head_flag, &cache_at, &type_at, &name_at, &size_at, &inuse_at,
             &offset_at) == 8)
    return;
  if (n_statics + n_percpus + n_slabs + n_kmallocs == MAX_OBJECTS)
    fail("too many objects:", line);
  if (sscanf(line, "static %x %lx %lx %lx", &spec.id, &spec.at, &spec.stride,
             &spec.number) == 4)
    statics[n_statics++] = spec;
  else if (sscanf(line, "percpu %x %lx %lx %lx", &spec.id, &spec.at,
                  &spec.stride, &spec.number) == 4)
    percpus[n_percpus++] = spec;
  else if (sscanf(line, "kmalloc %x %lx %lx %lx", &spec.id, &spec.at,
                  &spec.stride, &spec.number) == 4) {
    kmallocs[n_kmallocs].id = spec.id;
    kmallocs[n_kmallocs].first = spec.at;
    kmallocs[n_kmallocs].end = spec.stride;
    kmallocs[n_kmallocs++].size = spec.number;
  } else if (sscanf(line, "slab %x %63s", &spec.id, name) == 2) {
    slabs[n_slabs].id = spec.id;
    strcpy(slabs[n_slabs++].cache, name);
  } else
    fail("cannot read the line", line);
}

static void read_conf(const char *path) {
  char line[256];
  FILE *file = fopen(path, "r");
  if (!file)
    fail("cannot open", path);
  while (fgets(line, sizeof line, file))
    read_line(line);
  fclose(file);
  if (!ram_size)
    fail("no line 'ram' in", path);
}

// ---- where the objects are

// Fixed objects by page, of the image and of the direct map.
static struct range **image_pages, **direct_pages;
// Slab objects by page of the direct map; end is 0 where there is none.
static struct range *slab_pages;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct range **page_of(uint64_t address) {
  if (address >= IMAGE_BASE && address < IMAGE_BASE + IMAGE_SIZE)
    return &image_pages[(address - IMAGE_BASE) >> 12];
  if (address >= DIRECT_BASE && address < DIRECT_BASE + ram_size)
    return &direct_pages[(address - DIRECT_BASE) >> 12];
  return NULL;
}

static void add_range(const struct object_spec *spec, uint64_t at,
                      unsigned cpu) {
  uint64_t end = at + spec->stride * spec->number;
  for (uint64_t page = at & ~0xfffull; page < end; page += 4096) {
    struct range **first = page_of(page);
    if (!first)
      return;
    for (struct range *r = *first; r; r = r->next)
      if (r->begin == at && r->id == spec->id)
        return; // the table was written again
    struct range *range = zeros(1, sizeof *range);
    *range = (struct range){at, end, spec->stride, *first, spec->id, cpu, 0, 0};
    __atomic_store_n(first, range, __ATOMIC_RELEASE);
  }
}

// The offset of a CPU is known: its objects are, too.
static void add_cpu(unsigned cpu, uint64_t offset) {
  pthread_mutex_lock(&lock);
  read_sections();
  for (unsigned i = 0; i < n_percpus; ++i)
    add_range(&percpus[i], offset + percpus[i].at, cpu);
  pthread_mutex_unlock(&lock);
}

// ---- slab pages: followed by the stores to struct page

static struct cache {
  uint64_t at, size, bytes, note;
  int id; // -1: not recorded
} caches[MAX_CACHES];
enum { NOTED = 0xfffe }; // the id is that of the code noted in the object
static unsigned n_caches;

static struct cache *find_cache(uint64_t at) {
  for (unsigned i = 0; i < n_caches; ++i)
    if (caches[i].at == at)
      return &caches[i];
  char name[64] = "";
  read_text(read_virtual(at + name_at), name, sizeof name);
  uint32_t size = read_virtual(at + size_at);
  if (!size || !name[0] || n_caches == MAX_CACHES)
    return NULL;
  struct cache *found = &caches[n_caches++];
  *found = (struct cache){at, size, size, 0, -1};
  for (unsigned i = 0; i < n_slabs; ++i)
    if (!strcmp(slabs[i].cache, name))
      found->id = slabs[i].id;
  if (n_kmallocs && !strncmp(name, "kmalloc-", 8)) {
    // Behind the object and, if that is not in it, its free pointer.
    uint32_t inuse = read_virtual(at + inuse_at);
    uint32_t pointer = read_virtual(at + offset_at);
    found->bytes = inuse;
    found->note = pointer >= inuse ? inuse + 8 : inuse;
    found->id = NOTED;
  }
  return found;
}

static void forget_slab(uint64_t frame) {
  uint64_t begin = slab_pages[frame].begin;
  for (; frame < ram_size >> 12 && slab_pages[frame].end &&
         slab_pages[frame].begin == begin;
       ++frame)
    slab_pages[frame].end = 0;
}

// A member of a struct page was stored that says whether it heads a slab.
static void look_at_page(uint64_t frame) {
  uint64_t page = struct_page(frame);
  uint64_t cache_address = read_virtual(page + cache_at);
  uint32_t type = read_virtual(page + type_at);
  pthread_mutex_lock(&lock);
  struct cache *cache = NULL;
  if (type >> 24 == slab_type && cache_address >= DIRECT_BASE &&
      !(cache_address & 7))
    cache = find_cache(cache_address);
  if (!cache || cache->id < 0) {
    if (slab_pages[frame].end)
      forget_slab(frame);
    pthread_mutex_unlock(&lock);
    return;
  }
  unsigned order = 0;
  if (read_virtual(page) & (1ull << head_flag))
    order = read_virtual(page + STRUCT_PAGE_BYTES) & 0xff;
  uint64_t begin = DIRECT_BASE + frame * 4096, bytes = 4096ull << order;
  if (order <= 10 && frame + (1u << order) <= ram_size >> 12)
    for (uint64_t i = 0; i < 1u << order; ++i) {
      struct range *range = &slab_pages[frame + i];
      range->begin = begin;
      range->stride = cache->size;
      range->id = cache->id;
      range->bytes = cache->bytes;
      range->note = cache->note;
      range->cpu = NO_CPU;
      __atomic_store_n(&range->end, begin + bytes, __ATOMIC_RELEASE);
    }
  pthread_mutex_unlock(&lock);
}

// ---- for the plugin

// The object around the address, if one of the chosen functions allocated it.
static const struct range *noted(const struct range *r, uint64_t address) {
  static _Thread_local struct range found;
  uint64_t start = address - (address - r->begin) % r->stride;
  uint64_t code = read_physical(start + r->note - DIRECT_BASE);
  for (unsigned i = 0; i < n_kmallocs; ++i)
    if (code >= kmallocs[i].first && code < kmallocs[i].end &&
        r->bytes == kmallocs[i].size) {
      found = *r;
      found.id = kmallocs[i].id;
      return &found;
    }
  return NULL;
}

const struct range *find_range(uint64_t address) {
  struct range **first = page_of(address);
  if (!first)
    return NULL;
  for (const struct range *r = __atomic_load_n(first, __ATOMIC_ACQUIRE); r;
       r = r->next)
    if (address >= r->begin && address < r->end)
      return r;
  if (n_slabs + n_kmallocs && address < IMAGE_BASE) {
    const struct range *r = &slab_pages[(address - DIRECT_BASE) >> 12];
    if (__atomic_load_n(&r->end, __ATOMIC_ACQUIRE))
      return r->id == NOTED ? noted(r, address) : r;
  }
  return NULL;
}

void watch_store(uint64_t address, unsigned bytes) {
  if (address >= cpu_table && address < cpu_table + 8 * n_cpus)
    add_cpu((address - cpu_table) / 8, read_virtual(address & ~7ull));
  uint64_t frame = n_slabs + n_kmallocs ? frame_of(address) : ~0ull;
  if (frame == ~0ull)
    return;
  uint64_t at = address - struct_page(frame);
  if ((at < cache_at + 8 && at + bytes > cache_at) ||
      (at < type_at + 4 && at + bytes > type_at))
    look_at_page(frame);
}

void objects_init(const char *conf, const char *path) {
  read_conf(conf);
  map_ram(path);
  image_pages = zeros(IMAGE_SIZE >> 12, sizeof *image_pages);
  direct_pages = zeros(ram_size >> 12, sizeof *direct_pages);
  slab_pages = zeros(ram_size >> 12, sizeof *slab_pages);
  for (unsigned i = 0; i < n_statics; ++i)
    add_range(&statics[i], statics[i].at, NO_CPU);
  if (boot_offset)
    add_cpu(0, boot_offset);
}
