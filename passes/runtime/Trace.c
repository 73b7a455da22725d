// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace mode: events of each thread in a buffer of its own, appended to one
// file when it is full, when the thread ends and at dumps.
//
// A buffer belongs to its thread, which adds events without the lock. What is
// behind `start` and before `used` has not been written; only the holder of
// the lock moves `start`, only the owner, with the lock, empties the buffer.
// The file has its temporary name until the first dump or the end, and is
// opened by name for each append: programs close descriptors they do not know.
// It ends with an end record at all times; an append writes over it and puts
// another one behind.

#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS 4096
#define SITE_LIMIT (1u << 24)

struct buffer {
  struct buffer *next;      // all that there are
  struct buffer *next_free; // those without a thread
  uint32_t stream;
  uint32_t start, used;
  uint64_t lost;         // by the owner, ever
  uint64_t lost_written; // of these, in the file
  struct kst_event events[EVENTS];
};

struct traced_unit {
  struct traced_unit *next;
  uint64_t hash;
  uint32_t base, sites;
  bool written;
};

static struct kst_output output = {.variable = "KST_TRACE_FILE",
                                   .suffix = ".ksttrace"};
static struct buffer *buffers, *free_buffers;
static struct traced_unit *units;
static uint32_t next_base = 1; // 0 in a unit: none yet
static uint32_t next_stream;
static uint64_t lost_elsewhere, lost_elsewhere_written; // without a buffer
static size_t objects_written;
static unsigned long long loads_written;
static bool begun, complained;
static uint64_t size, limit; // size: of the file, its end record included

static bool fail(const char *name, int error) {
  if (!complained)
    kst_complain("cannot write trace; events are lost:", name, error);
  complained = true;
  errno = error;
  return false;
}

static const char *file_name(void) {
  return output.claimed ? output.path : output.temporary;
}

struct end {
  uint32_t kind, stream;
  uint64_t bytes, before;
};

static bool write_end(int fd, uint64_t before) {
  struct end end = {KST_EVENT_END, 0, sizeof end.before, before};
  return kst_write(fd, &end, sizeof end);
}

static bool begin(void) {
  static char text[PATH_MAX + 4096];
  static const uint64_t default_limit = 1ull << 32;
  uint32_t head[4] = {0, 0, KST_RAW_VERSION, 0};
  const char *wanted = secure_getenv("KST_TRACE_LIMIT");
  limit = wanted && *wanted ? strtoull(wanted, NULL, 10) : default_limit;
  int fd = kst_output_open(&output);
  if (fd < 0)
    return fail(output.path, errno);
  memcpy(head, "KSTEVENT", 8);
  memset(text, 0, sizeof text);
  head[3] = (uint32_t)kst_text(text, sizeof text - 8, false);
  size_t n = (head[3] + 7) & ~7u;
  bool good = kst_write(fd, head, sizeof head) && kst_write(fd, text, n) &&
              write_end(fd, sizeof head + n);
  int error = errno;
  close(fd);
  if (!good) {
    unlink(output.temporary);
    return fail(output.path, error);
  }
  size = sizeof head + n + sizeof(struct end);
  begun = true;
  return true;
}

// A record as a whole, or the file as it was. more: its second part.
static bool append(uint32_t kind, uint32_t stream, const void *first, size_t n,
                   const void *more, size_t m) {
  // A vfork child, or one made behind the back of fork(): not its file.
  if (kst_process.pid != getpid())
    return fail("process of another pid", 0);
  if (!begun && !begin())
    return false;
  struct {
    uint32_t kind, stream;
    uint64_t bytes;
  } head = {kind, stream, n + m};
  if (size + sizeof head + n + m > limit)
    return fail("KST_TRACE_LIMIT is reached", EFBIG);
  struct stat now;
  int fd = open(file_name(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return fail(file_name(), errno);
  // Somebody else's file by now, or one that somebody wrote to.
  bool good = !fstat(fd, &now) && (uint64_t)now.st_size == size;
  int error = EBUSY;
  if (good) {
    uint64_t at = size - sizeof(struct end), after = at + sizeof head + n + m;
    good = lseek(fd, (off_t)at, SEEK_SET) >= 0 &&
           kst_write(fd, &head, sizeof head) && kst_write(fd, first, n) &&
           kst_write(fd, more, m) && write_end(fd, after);
    error = errno;
    if (good)
      size = after + sizeof(struct end);
    else if (lseek(fd, (off_t)at, SEEK_SET) < 0 || !write_end(fd, at) ||
             ftruncate(fd, (off_t)size))
      size = UINT64_MAX / 2; // whatever is there stays; nothing follows
  }
  close(fd);
  return good || fail(file_name(), error);
}

static bool write_units(void) {
  for (struct traced_unit *unit = units; unit; unit = unit->next) {
    if (unit->written)
      continue;
    struct {
      uint64_t hash;
      uint32_t base, sites;
    } body = {unit->hash, unit->base, unit->sites};
    if (!append(KST_EVENT_UNIT, 0, &body, sizeof body, NULL, 0))
      return false;
    unit->written = true;
  }
  return true;
}

static void write_objects(void) {
  for (; objects_written < kst_objects_count(); ++objects_written) {
    const struct kst_object *object = kst_object_at(objects_written);
    if (!object)
      continue;
    const char *name = (const char *)(uintptr_t)object->name;
    char padded[256] = "";
    size_t n = strlen(name);
    if (n > sizeof padded - 8)
      continue;
    memcpy(padded, name, n);
    struct {
      uint64_t address, size;
      uint32_t number, cpu;
    } body = {object->address, object->size, object->number, ~0u};
    if (!append(KST_EVENT_OBJECT, 0, &body, sizeof body, padded,
                (n + 8) & ~(size_t)7))
      return;
  }
}

// The program's file has no name there.
static int write_image(struct dl_phdr_info *info, size_t n, void *unused) {
  static char program[PATH_MAX];
  const char *name = info->dlpi_name;
  (void)n;
  (void)unused;
  if (!*name) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    name = program;
  }
  struct {
    uint64_t begin, end, bias;
  } body = {UINT64_MAX, 0, info->dlpi_addr};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uint64_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD)
      continue;
    if (begin < body.begin)
      body.begin = begin;
    if (begin + part->p_memsz > body.end)
      body.end = begin + part->p_memsz;
  }
  char padded[PATH_MAX + 8] = "";
  size_t length = strlen(name);
  if (!length || length >= PATH_MAX || body.begin >= body.end)
    return 0;
  memcpy(padded, name, length);
  return !append(KST_EVENT_IMAGE, 0, &body, sizeof body, padded,
                 (length + 8) & ~(size_t)7);
}

static int loads_so_far(struct dl_phdr_info *info, size_t n, void *to) {
  if (n >= offsetof(struct dl_phdr_info, dlpi_subs))
    *(unsigned long long *)to = info->dlpi_adds;
  return 1;
}

// Where the files of the process are, again when one more was loaded.
static void write_images(void) {
  unsigned long long loads = 0;
  dl_iterate_phdr(loads_so_far, &loads);
  if (loads && loads == loads_written)
    return;
  if (!dl_iterate_phdr(write_image, NULL))
    loads_written = loads;
}

static void write_buffer(struct buffer *buffer) {
  uint32_t used = __atomic_load_n(&buffer->used, __ATOMIC_ACQUIRE);
  uint64_t lost = __atomic_load_n(&buffer->lost, __ATOMIC_RELAXED);
  uint64_t gap = lost - buffer->lost_written;
  if (used == buffer->start && !gap)
    return;
  if (write_units() &&
      append(KST_EVENT_EVENTS, buffer->stream, &gap, sizeof gap,
             buffer->events + buffer->start,
             sizeof(struct kst_event) * (used - buffer->start)))
    buffer->lost_written = lost;
  else
    __atomic_fetch_add(&buffer->lost, used - buffer->start, __ATOMIC_RELAXED);
  buffer->start = used;
}

static void empty(struct buffer *buffer) {
  write_buffer(buffer);
  buffer->start = 0;
  __atomic_store_n(&buffer->used, 0, __ATOMIC_RELEASE);
}

static void thread_end(struct kst_thread *thread) {
  struct buffer *buffer = thread->trace;
  thread->trace = NULL;
  if (!buffer)
    return;
  empty(buffer);
  if (buffer->lost == buffer->lost_written) { // else a dump may still say so
    buffer->next_free = free_buffers;
    free_buffers = buffer;
  }
}

// The parent writes what it had; the child begins with nothing.
static void forked(struct kst_thread *self) {
  free_buffers = NULL;
  for (struct buffer *buffer = buffers; buffer; buffer = buffer->next) {
    buffer->start = 0;
    buffer->used = 0;
    buffer->lost = 0;
    buffer->lost_written = 0;
    if (buffer == self->trace)
      continue;
    buffer->next_free = free_buffers;
    free_buffers = buffer;
  }
  for (struct traced_unit *unit = units; unit; unit = unit->next)
    unit->written = false;
  lost_elsewhere = 0;
  lost_elsewhere_written = 0;
  objects_written = 0;
  loads_written = 0;
  begun = false;
  complained = false;
  output.claimed = false;
}

static int publish(void) {
  for (struct buffer *buffer = buffers; buffer; buffer = buffer->next)
    write_buffer(buffer);
  uint64_t lost = __atomic_load_n(&lost_elsewhere, __ATOMIC_RELAXED);
  uint64_t gap = lost - lost_elsewhere_written;
  if (gap && append(KST_EVENT_EVENTS, 0, &gap, sizeof gap, NULL, 0))
    lost_elsewhere_written = lost;
  if (begun) {
    write_images();
    write_objects();
  }
  if (!begun || output.claimed)
    return complained ? -1 : 0;
  if (kst_output_publish(&output))
    return complained ? -1 : 0;
  begun = false;
  fail(output.path, errno);
  return -1;
}

static const struct kst_trace_hooks hooks = {thread_end, forked, publish};

static void give_base(struct kst_unit *unit) {
  struct traced_unit *known = units;
  while (known && (known->hash != unit->hash || known->sites != unit->n_sites))
    known = known->next;
  if (!known) {
    if (unit->n_sites > SITE_LIMIT - next_base)
      return;
    known = kst_memory(sizeof *known);
    if (!known)
      return;
    *known = (struct traced_unit){units, unit->hash, next_base, unit->n_sites,
                                  false};
    units = known;
    next_base += unit->n_sites;
  }
  __atomic_store_n(&unit->trace_base, known->base, __ATOMIC_RELEASE);
}

static struct buffer *new_buffer(void) {
  struct buffer *buffer = free_buffers;
  if (buffer) {
    free_buffers = buffer->next_free;
  } else {
    buffer = kst_memory(sizeof *buffer);
    if (!buffer)
      return NULL;
    buffer->next = buffers;
    buffers = buffer;
  }
  buffer->stream = ++next_stream;
  return buffer;
}

// Whatever the unit or the thread lacks; false: it still does.
static bool prepare(struct kst_thread *self, struct kst_unit *unit) {
  struct kst_guard guard;
  kst_lock(&guard);
  kst_image();
  kst_init();
  kst_trace_hooks = &hooks;
  if (!unit->trace_base)
    give_base(unit);
  if (!self->trace)
    self->trace = new_buffer();
  kst_watch_thread();
  kst_unlock(&guard);
  return unit->trace_base && self->trace;
}

static void lose(struct kst_thread *self) {
  struct buffer *buffer = self->trace;
  __atomic_fetch_add(buffer ? &buffer->lost : &lost_elsewhere, 1,
                     __ATOMIC_RELAXED);
}

static void record(struct kst_thread *self, struct kst_unit *unit,
                   uint32_t site, const void *address) {
  uint32_t base = __atomic_load_n(&unit->trace_base, __ATOMIC_ACQUIRE);
  if (!base || !self->trace) {
    if (!prepare(self, unit)) {
      lose(self);
      return;
    }
    base = unit->trace_base;
  }
  struct buffer *buffer = self->trace;
  if (site >= unit->n_sites) {
    lose(self);
    return;
  }
  uint64_t time = kst_now();
  uint32_t n = buffer->used;
  buffer->events[n].where =
      ((uint64_t)(uintptr_t)address & 0xffffffffffffull) | time << 48;
  buffer->events[n].what = (base + site) | (time >> 16) << 24;
  __atomic_store_n(&buffer->used, n + 1, __ATOMIC_RELEASE);
  if (n + 1 < EVENTS)
    return;
  struct kst_guard guard;
  kst_lock(&guard);
  empty(buffer);
  kst_unlock(&guard);
}

// A signal handler in the middle of another event of its thread loses its own.
KST_PUBLIC void __kst_trace(struct kst_unit *unit, uint32_t site,
                            const void *address) {
  struct kst_thread *self = &kst_self;
  if (self->in_trace) {
    lose(self);
    return;
  }
  int before = errno;
  *(volatile bool *)&self->in_trace = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  record(self, unit, site, address);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  *(volatile bool *)&self->in_trace = false;
  errno = before;
}
