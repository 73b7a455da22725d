// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plugin of QEMU 7.2 or later (TCG) that counts every load and store which
// kernel code makes to chosen objects: static variables, per-CPU variables,
// objects of slab caches. It sees instructions and addresses, nothing of the
// source and nothing of our pass, and so it can say what the counters miss.
//
// Arguments: conf=FILE out=FILE ram=FILE; record.py writes the first, reads
// the second, and gives QEMU the third as the guest's memory. Lines of conf:
//
//   ram BYTES                         size of the guest's memory
//   window START STOP                 addresses of instructions: recording
//                                     begins before the first and ends before
//                                     the next STOP; 0 0: the whole run
//   cpus TABLE N LOAD                 address of __per_cpu_offset[N]; offset of
//                                     the boot CPU before that is filled
//   image SHIFT                       virtual minus physical address
//   static ID ADDRESS STRIDE NUMBER   objects behind one another
//   percpu ID OFFSET STRIDE NUMBER    the same in the per-CPU area
//   slab ID CACHE                     all objects of a cache
//   slabs TYPE HEAD CACHE_AT TYPE_AT NAME_AT SIZE_AT
//                                     struct page and kmem_cache: page type of
//                                     slabs, flag of compound pages, members
//   pgt ADDRESS                       of the kernel's page table, for vmemmap
//
// All numbers are hexadecimal, but for the names. Lines of out: "run COMPLETE",
// then for each place
//   ID OFFSET SIZE KIND REMOTE PC COUNT
// KIND 1 load, 2 store, 3 both in one; REMOTE 1: the object belongs to
// another CPU. Offsets are from the start of the object, PC as linked (the
// guest runs with nokaslr).
//
// Threads: QEMU calls back from every vCPU at once. Each has its own counts;
// objects are added under a lock and published last.

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What we need of qemu-plugin.h, which Debian does not package.
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_MEM_RW = 3 };
typedef void (*tb_callback)(qemu_plugin_id_t, struct qemu_plugin_tb *);
typedef void (*memory_callback)(unsigned, qemu_plugin_meminfo_t, uint64_t,
                                void *);
typedef void (*exec_callback)(unsigned, void *);
typedef void (*exit_callback)(qemu_plugin_id_t, void *);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, tb_callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
                                                 size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                      memory_callback, int, int, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                            exec_callback, int, void *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, exit_callback, void *);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

// x86-64, four levels of page tables, nokaslr.
#define IMAGE_BASE 0xffffffff80000000ull
#define IMAGE_SIZE 0x20000000ull
#define DIRECT_BASE 0xffff888000000000ull
#define VMEMMAP_BASE 0xffffea0000000000ull
#define STRUCT_PAGE_BYTES 64

enum { MAX_VCPUS = 64, MAX_OBJECTS = 256, MAX_CACHES = 1024 };
#define NO_CPU 0xffff

static void fail(const char *what, const char *name) {
  fprintf(stderr, "recorder: %s %s\n", what, name);
  exit(1);
}

static void *zeros(size_t number, size_t size) {
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
static unsigned n_statics, n_percpus, n_slabs;
static struct {
  unsigned id;
  char cache[64];
} slabs[MAX_OBJECTS];
static uint64_t ram_size, start_pc, stop_pc, cpu_table, n_cpus, boot_offset;
static uint64_t image_shift, page_table;
static uint64_t slab_type, head_flag, cache_at, type_at, name_at, size_at;
static char out_path[4096], ram_path[4096];

static void read_line(const char *line) {
  struct object_spec spec;
  char name[64];
  if (sscanf(line, "ram %lx", &ram_size) == 1 ||
      sscanf(line, "window %lx %lx", &start_pc, &stop_pc) == 2 ||
      sscanf(line, "cpus %lx %lx %lx", &cpu_table, &n_cpus, &boot_offset) ==
          3 ||
      sscanf(line, "image %lx", &image_shift) == 1 ||
      sscanf(line, "pgt %lx", &page_table) == 1 ||
      sscanf(line, "slabs %lx %lx %lx %lx %lx %lx", &slab_type, &head_flag,
             &cache_at, &type_at, &name_at, &size_at) == 6)
    return;
  if (n_statics + n_percpus + n_slabs == MAX_OBJECTS)
    fail("too many objects:", line);
  if (sscanf(line, "static %x %lx %lx %lx", &spec.id, &spec.at, &spec.stride,
             &spec.number) == 4)
    statics[n_statics++] = spec;
  else if (sscanf(line, "percpu %x %lx %lx %lx", &spec.id, &spec.at,
                  &spec.stride, &spec.number) == 4)
    percpus[n_percpus++] = spec;
  else if (sscanf(line, "slab %x %63s", &spec.id, name) == 2) {
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

// ---- the guest's memory

static const uint8_t *ram;

static uint64_t read_physical(uint64_t at) {
  uint64_t value = 0;
  if (at <= ram_size - 8)
    memcpy(&value, ram + at, 8);
  return value;
}

// ~0 if there is nothing.
static uint64_t physical(uint64_t address) {
  const uint64_t frame = 0x000ffffffffff000ull;
  if (address >= IMAGE_BASE)
    return address - image_shift;
  if (address >= DIRECT_BASE && address < DIRECT_BASE + ram_size)
    return address - DIRECT_BASE;
  uint64_t table = page_table - image_shift;
  for (int shift = 39; shift >= 12; shift -= 9) {
    uint64_t entry = read_physical(table + ((address >> shift) & 511) * 8);
    uint64_t within = (1ull << shift) - 1;
    if (!(entry & 1))
      return ~0ull;
    if (shift == 12 || (shift < 39 && (entry & 0x80)))
      return (entry & frame & ~within) | (address & within);
    table = entry & frame;
  }
  return ~0ull;
}

static uint64_t read_virtual(uint64_t address) {
  return read_physical(physical(address));
}

// ---- where the objects are

struct range {
  uint64_t begin, end, stride;
  struct range *next; // in the same page
  uint16_t id, cpu;
};
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
    *range = (struct range){at, end, spec->stride, *first, spec->id, cpu};
    __atomic_store_n(first, range, __ATOMIC_RELEASE);
  }
}

// The offset of a CPU is known: its objects are, too.
static void add_cpu(unsigned cpu, uint64_t offset) {
  pthread_mutex_lock(&lock);
  for (unsigned i = 0; i < n_percpus; ++i)
    add_range(&percpus[i], offset + percpus[i].at, cpu);
  pthread_mutex_unlock(&lock);
}

// ---- slab pages: followed by the stores to struct page

static struct cache {
  uint64_t at, size;
  int id; // -1: not recorded
} caches[MAX_CACHES];
static unsigned n_caches;

static struct cache *find_cache(uint64_t at) {
  for (unsigned i = 0; i < n_caches; ++i)
    if (caches[i].at == at)
      return &caches[i];
  char name[64] = "";
  uint64_t text = physical(read_virtual(at + name_at));
  if (text < ram_size - sizeof name)
    memcpy(name, ram + text, sizeof name - 1);
  uint32_t size = read_virtual(at + size_at);
  if (!size || !name[0] || n_caches == MAX_CACHES)
    return NULL;
  struct cache *found = &caches[n_caches++];
  *found = (struct cache){at, size, -1};
  for (unsigned i = 0; i < n_slabs; ++i)
    if (!strcmp(slabs[i].cache, name))
      found->id = slabs[i].id;
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
  uint64_t page = VMEMMAP_BASE + frame * STRUCT_PAGE_BYTES;
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
      range->cpu = NO_CPU;
      __atomic_store_n(&range->end, begin + bytes, __ATOMIC_RELEASE);
    }
  pthread_mutex_unlock(&lock);
}

// ---- counts

struct place {
  uint64_t where; // id << 48 | offset << 16 | log2 size << 8 | remote << 2 | kind
  uint64_t pc;
  uint64_t count; // 0: free
};
static struct counts {
  struct place *places;
  uint64_t mask, used;
} counts[MAX_VCPUS];
static volatile bool recording, done;

static uint64_t slot_of(const struct counts *all, uint64_t where, uint64_t pc) {
  uint64_t hash = (where ^ pc * 0xff51afd7ed558ccdull) * 0x9e3779b97f4a7c15ull;
  uint64_t slot = (hash ^ hash >> 29) & all->mask;
  while (all->places[slot].count &&
         (all->places[slot].where != where || all->places[slot].pc != pc))
    slot = (slot + 1) & all->mask;
  return slot;
}

static void grow(struct counts *all) {
  struct counts old = *all;
  uint64_t size = old.places ? 2 * (old.mask + 1) : 1 << 14;
  all->places = zeros(size, sizeof *all->places);
  all->mask = size - 1;
  for (uint64_t i = 0; old.places && i <= old.mask; ++i)
    if (old.places[i].count)
      all->places[slot_of(all, old.places[i].where, old.places[i].pc)] =
          old.places[i];
  free(old.places);
}

static void count(unsigned vcpu, uint64_t where, uint64_t pc) {
  struct counts *all = &counts[vcpu];
  if (all->used * 2 >= all->mask)
    grow(all);
  struct place *place = &all->places[slot_of(all, where, pc)];
  if (!place->count) {
    ++all->used;
    place->where = where;
    place->pc = pc;
  }
  ++place->count;
}

static void write_out(void) {
  FILE *file = fopen(out_path, "w");
  if (!file)
    fail("cannot write", out_path);
  fprintf(file, "run %d\n", start_pc ? done : 1);
  for (unsigned vcpu = 0; vcpu < MAX_VCPUS; ++vcpu)
    for (uint64_t i = 0; counts[vcpu].places && i <= counts[vcpu].mask; ++i) {
      const struct place *p = &counts[vcpu].places[i];
      if (p->count)
        fprintf(file, "%lx %lx %x %lx %lx %lx %lx\n", p->where >> 48,
                p->where >> 16 & 0xffffffff,
                1u << (p->where >> 8 & 0xff), p->where & 3,
                p->where >> 2 & 1, p->pc, p->count);
    }
  if (fclose(file))
    fail("cannot write", out_path);
}

// ---- callbacks

static const struct range *find_range(uint64_t address) {
  struct range **first = page_of(address);
  if (!first)
    return NULL;
  for (const struct range *r = __atomic_load_n(first, __ATOMIC_ACQUIRE); r;
       r = r->next)
    if (address >= r->begin && address < r->end)
      return r;
  if (n_slabs && address < IMAGE_BASE) {
    const struct range *r = &slab_pages[(address - DIRECT_BASE) >> 12];
    if (__atomic_load_n(&r->end, __ATOMIC_ACQUIRE))
      return r;
  }
  return NULL;
}

static void watch_store(uint64_t address, unsigned bytes) {
  if (address >= cpu_table && address < cpu_table + 8 * n_cpus)
    add_cpu((address - cpu_table) / 8, read_virtual(address & ~7ull));
  if (!n_slabs || address < VMEMMAP_BASE ||
      address >= VMEMMAP_BASE + (ram_size >> 12) * STRUCT_PAGE_BYTES)
    return;
  uint64_t at = (address - VMEMMAP_BASE) % STRUCT_PAGE_BYTES;
  if ((at < cache_at + 8 && at + bytes > cache_at) ||
      (at < type_at + 4 && at + bytes > type_at))
    look_at_page((address - VMEMMAP_BASE) / STRUCT_PAGE_BYTES);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info,
                      uint64_t address, void *pc) {
  unsigned shift = qemu_plugin_mem_size_shift(info);
  // QEMU keeps load and store as bits here; its API tells only the second.
  unsigned kind = info >> 16 & 3;
  if (!kind)
    kind = qemu_plugin_mem_is_store(info) ? 2 : 1;
  if (kind & 2)
    watch_store(address, 1u << shift);
  if (!recording || vcpu >= MAX_VCPUS)
    return;
  const struct range *range = find_range(address);
  if (!range)
    return;
  uint64_t offset = (address - range->begin) % range->stride;
  uint64_t remote = range->cpu != NO_CPU && range->cpu != vcpu;
  count(vcpu,
        (uint64_t)range->id << 48 | offset << 16 | shift << 8 | remote << 2 |
            kind,
        (uintptr_t)pc);
}

static void on_start(unsigned vcpu, void *unused) {
  if (!done)
    recording = true;
}

static void on_stop(unsigned vcpu, void *unused) {
  pthread_mutex_lock(&lock);
  if (recording) {
    recording = false;
    done = true;
    usleep(20000); // other vCPUs leave on_access()
    write_out();
  }
  pthread_mutex_unlock(&lock);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
  size_t n = qemu_plugin_tb_n_insns(tb);
  for (size_t i = 0; i < n; ++i) {
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
    uint64_t pc = qemu_plugin_insn_vaddr(insn);
    if (pc >= IMAGE_BASE)
      qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                       QEMU_PLUGIN_MEM_RW,
                                       (void *)(uintptr_t)pc);
    if (pc == start_pc)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start,
                                             QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (pc == stop_pc)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_stop,
                                             QEMU_PLUGIN_CB_NO_REGS, NULL);
  }
}

static void on_end(qemu_plugin_id_t id, void *unused) {
  if (recording)
    write_out();
}

static void map_ram(void) {
  int file = open(ram_path, O_RDONLY);
  if (file < 0)
    fail("cannot open", ram_path);
  void *mapped = mmap(NULL, ram_size, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    fail("cannot map", ram_path);
  ram = mapped;
  close(file);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                    char **argv) {
  const char *conf = NULL;
  for (int i = 0; i < argc; ++i)
    if (!strncmp(argv[i], "conf=", 5))
      conf = argv[i] + 5;
    else if (!strncmp(argv[i], "out=", 4))
      snprintf(out_path, sizeof out_path, "%s", argv[i] + 4);
    else if (!strncmp(argv[i], "ram=", 4))
      snprintf(ram_path, sizeof ram_path, "%s", argv[i] + 4);
  if (!conf)
    fail("no", "conf=");
  read_conf(conf);
  map_ram();
  image_pages = zeros(IMAGE_SIZE >> 12, sizeof *image_pages);
  direct_pages = zeros(ram_size >> 12, sizeof *direct_pages);
  slab_pages = zeros(ram_size >> 12, sizeof *slab_pages);
  for (unsigned i = 0; i < n_statics; ++i)
    add_range(&statics[i], statics[i].at, NO_CPU);
  if (boot_offset)
    add_cpu(0, boot_offset);
  recording = !start_pc;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
