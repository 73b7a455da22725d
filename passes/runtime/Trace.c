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
static uint64_t loads_written; // of the files of the latest images
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

// A file by its first mapping. Its headers are read through a descriptor:
// another thread may unload it meanwhile. The loader is not asked: its lock may
// be held by a thread that waits for ours.
static bool write_image(int memory, uint64_t start, const char *path) {
  static ElfW(Phdr) parts[32]; // under the lock; stacks of signals are small
  static char padded[PATH_MAX + 8];
  ElfW(Ehdr) head;
  if (pread(memory, &head, sizeof head, (off_t)start) != sizeof head ||
      memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_phnum > 32 ||
      head.e_phentsize != sizeof *parts)
    return true;
  const size_t size = head.e_phnum * sizeof *parts;
  if (pread(memory, parts, size, (off_t)(start + head.e_phoff)) !=
      (ssize_t)size)
    return true;
  uint64_t first = UINT64_MAX, last = 0;
  for (int i = 0; i < head.e_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD)
      continue;
    if (parts[i].p_vaddr < first)
      first = parts[i].p_vaddr;
    if (parts[i].p_vaddr + parts[i].p_memsz > last)
      last = parts[i].p_vaddr + parts[i].p_memsz;
  }
  const size_t length = strlen(path);
  if (first >= last || length >= PATH_MAX)
    return true;
  struct {
    uint64_t begin, end, bias;
  } body;
  body.bias = start - (first & ~(uint64_t)4095);
  body.begin = first + body.bias;
  body.end = last + body.bias;
  memset(padded, 0, sizeof padded);
  memcpy(padded, path, length);
  return append(KST_EVENT_IMAGE, 0, &body, sizeof body, padded,
                (length + 8) & ~(size_t)7);
}

// A line of /proc/self/maps: 'start-end perms offset device inode   path'.
static bool write_mapping(int memory, char *line, uint64_t *known) {
  char *path = strchr(line, '/');
  char *at = line;
  uint64_t start = strtoull(at, &at, 16);
  if (!path || *at != '-')
    return true;
  strtoull(at + 1, &at, 16);
  if (strlen(at) < 7 || at[1] != 'r' || strtoull(at + 6, NULL, 16))
    return true;
  if (!known)
    return write_image(memory, start, path);
  *known = *known * 0x9e3779b97f4a7c15ull + start;
  return true;
}

static bool each_mapping(int memory, uint64_t *known) {
  static char text[2 * PATH_MAX];
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  bool good = maps >= 0;
  size_t held = 0;
  for (ssize_t n;
       good && (n = read(maps, text + held, sizeof text - 1 - held)) > 0;) {
    held += (size_t)n;
    text[held] = 0;
    char *line = text;
    for (char *end; good && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      good = write_mapping(memory, line, known);
    }
    held = strlen(line);
    memmove(text, line, held);
    if (held == sizeof text - 1)
      held = 0; // no path is as long
  }
  if (maps >= 0)
    close(maps);
  return good;
}

// Where the files of the process are, again when they are others.
static void write_images(void) {
  uint64_t loads = 1;
  if (!each_mapping(-1, &loads) || loads == loads_written)
    return;
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory >= 0 && each_mapping(memory, NULL))
    loads_written = loads;
  if (memory >= 0)
    close(memory);
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
