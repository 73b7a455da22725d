// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plugin of QEMU 7.2 or later (TCG) that counts every load and store which
// kernel code makes to chosen objects: static variables, per-CPU variables,
// objects of slab caches. It sees instructions and addresses, nothing of the
// source and nothing of our pass, and so it can say what the counters miss.
//
// Arguments: conf=FILE out=FILE ram=FILE [lines=FILE] [orders=FILE]; record.py
// writes the first, reads the second, and gives QEMU the third as the guest's
// memory; the others are for windows.c, which writes out.windows, and
// coherence.c, which writes out.coherence. Lines of conf:
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
//   kmalloc ID FIRST END SIZE         objects of the caches named kmalloc-*
//                                     for SIZE bytes that code in this range
//                                     allocated; the kernel notes it
//                                     (slab_debug=U)
//   slabs TYPE HEAD CACHE_AT TYPE_AT NAME_AT SIZE_AT INUSE_AT OFFSET_AT
//                                     struct page and kmem_cache: page type of
//                                     slabs, flag of compound pages, members
//   pgt ADDRESS                       of the kernel's page table, for vmemmap
//   sections ADDRESS BITS BYTES       without vmemmap: the variable mem_section,
//                                     log2 of a section, bytes of its entry
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

#include "objects.h"
#include "coherence.h"
#include "windows.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { MAX_VCPUS = 64 };
static char out_path[4096], windows_path[4096 + 16], coherence_path[4096 + 16];

// ---- counts

struct place {
  uint64_t
      where; // id << 48 | offset << 16 | log2 size << 8 | remote << 2 | kind
  uint64_t pc;
  uint64_t count; // 0: free
};
static struct counts {
  struct place *places;
  uint64_t mask, used;
  uint64_t accesses; // to anything
} counts[MAX_VCPUS];
static volatile bool recording, done;
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

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
                p->where >> 16 & 0xffffffff, 1u << (p->where >> 8 & 0xff),
                p->where & 3, p->where >> 2 & 1, p->pc, p->count);
    }
  if (fclose(file))
    fail("cannot write", out_path);
  windows_write(windows_path);
  coherence_write(coherence_path);
}

// ---- callbacks

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
  ++counts[vcpu].accesses;
  const struct range *range = find_range(address);
  if (!range)
    return;
  uint64_t offset = (address - range->begin) % range->stride;
  uint64_t remote = range->cpu != NO_CPU && range->cpu != vcpu;
  count(vcpu,
        (uint64_t)range->id << 48 | offset << 16 | shift << 8 | remote << 2 |
            kind,
        (uintptr_t)pc);
  windows_access(vcpu, counts[vcpu].accesses, range, address, 1u << shift);
  coherence_access(vcpu, kind & 2, range, address, 1u << shift);
}

static void on_start(unsigned vcpu, void *unused) {
  if (!done)
    recording = true;
}

static void on_stop(unsigned vcpu, void *unused) {
  pthread_mutex_lock(&ending);
  if (recording) {
    recording = false;
    done = true;
    usleep(20000); // other vCPUs leave on_access()
    write_out();
  }
  pthread_mutex_unlock(&ending);
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

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                    char **argv) {
  const char *conf = NULL, *ram = NULL;
  for (int i = 0; i < argc; ++i)
    if (!strncmp(argv[i], "conf=", 5))
      conf = argv[i] + 5;
    else if (!strncmp(argv[i], "ram=", 4))
      ram = argv[i] + 4;
    else if (!strncmp(argv[i], "out=", 4))
      snprintf(out_path, sizeof out_path, "%s", argv[i] + 4);
    else if (!strncmp(argv[i], "lines=", 6))
      windows_init(argv[i] + 6);
    else if (!strncmp(argv[i], "orders=", 7))
      coherence_init(argv[i] + 7);
  if (!conf || !ram || !out_path[0])
    fail("an argument is missing:", "conf=, ram=, out=");
  snprintf(windows_path, sizeof windows_path, "%s.windows", out_path);
  snprintf(coherence_path, sizeof coherence_path, "%s.coherence", out_path);
  objects_init(conf, ram);
  recording = !start_pc;
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_end, NULL);
  return 0;
}
