// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes the counters file.

#define _GNU_SOURCE
#include "Internal.h"
#include "kst.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct kst_output output = {.variable = "KST_FILE", .suffix = ".kstraw"};

// Collects small writes.
struct sink {
  int fd;
  bool good;
  size_t used;
  uint64_t taken; // bytes of the file so far
};
static char buffer[1 << 16];

static void flush(struct sink *sink) {
  if (sink->good)
    sink->good = kst_write(sink->fd, buffer, sink->used);
  sink->used = 0;
}

static void put(struct sink *sink, const void *bytes, size_t n) {
  sink->taken += n;
  if (n > sizeof buffer - sink->used)
    flush(sink);
  if (n > sizeof buffer) {
    if (sink->good)
      sink->good = kst_write(sink->fd, bytes, n);
    return;
  }
  memcpy(buffer + sink->used, bytes, n);
  sink->used += n;
}

static void put_head(struct sink *sink, uint64_t hash, uint32_t n,
                     uint32_t kind) {
  uint32_t shape[2] = {n, kind};
  put(sink, &hash, sizeof hash);
  put(sink, shape, sizeof shape);
}

static bool any(const uint64_t *counts, uint32_t n) {
  while (n && !counts[n - 1])
    --n;
  return n;
}

static bool write_all(int fd) {
  static char text[PATH_MAX + 4096];
  struct sink sink = {fd, true, 0, 0};
  uint32_t head[4] = {0, 0, KST_RAW_VERSION, 0};
  memcpy(head, "KSTCOUNT", 8);
  memset(text, 0, sizeof text);
  head[3] = (uint32_t)kst_text(text, sizeof text - 8, true);
  put(&sink, head, sizeof head);
  put(&sink, text, (head[3] + 7) & ~7u);
  for (size_t i = 0; i < kst_record_count(); ++i) {
    const struct kst_record *record = kst_record_at(i);
    put_head(&sink, record->hash, record->n, record->kind);
    put(&sink, record->by[KST_ALL].sum, sizeof(uint64_t) * record->n);
  }
  for (size_t i = 0; i < kst_record_count(); ++i) {
    const struct kst_record *record = kst_record_at(i);
    if (!any(record->by[KST_OTHERS].sum, record->n))
      continue;
    put_head(&sink, record->hash, record->n, KST_COUNT_OTHERS);
    put(&sink, record->by[KST_OTHERS].sum, sizeof(uint64_t) * record->n);
  }
  put_head(&sink, sink.taken, 0, KST_COUNT_END);
  flush(&sink);
  return sink.good;
}

// Counters only grow, so this tells whether any of them did.
static uint64_t grand_total(void) {
  uint64_t total = 1 + kst_record_count();
  for (size_t i = 0; i < kst_record_count(); ++i)
    for (uint32_t c = 0; c < kst_record_at(i)->n; ++c)
      total += kst_record_at(i)->by[KST_ALL].sum[c];
  return total;
}

static int write_sums(void) {
  int fd = kst_output_open(&output);
  bool good = fd >= 0;
  if (good) {
    good = write_all(fd);
    int error = good ? 0 : errno;
    good = !close(fd) && good;
    if (!good) {
      error = error ? error : errno;
      unlink(output.temporary);
      errno = error;
    }
    good = good && kst_output_publish(&output);
  }
  int error = errno;
  if (good) {
    kst_process.dumped = grand_total();
    return 0;
  }
  kst_complain("cannot write", output.path, error);
  errno = error;
  return -1;
}

// The memory of a vfork child is its parent's, who writes it; so is that of a
// child made behind the back of fork().
static bool ours(void) { return kst_process.pid == getpid(); }

static int publish_trace(void) {
  return kst_trace_hooks ? kst_trace_hooks->publish() : 0;
}

int kst_dump_locked(void) {
  kst_init();
  if (!ours())
    return 0;
  kst_sum_up();
  int trace = publish_trace();
  return write_sums() ? -1 : trace;
}

void kst_dump_final(void) {
  if (!ours())
    return;
  kst_sum_up();
  publish_trace();
  if (kst_process.dumped != grand_total())
    write_sums();
}

void kst_dump_forked(void) { output.claimed = false; }

KST_PUBLIC int kst_dump(void) {
  struct kst_guard guard;
  int before = errno;
  kst_lock(&guard);
  int result = kst_dump_locked();
  int error = errno;
  kst_unlock(&guard);
  errno = result ? error : before;
  return result;
}

KST_PUBLIC void __kst_rt_flush(void) { kst_dump(); }

KST_PUBLIC void kst_reset(void) {
  struct kst_guard guard;
  int before = errno;
  kst_lock(&guard);
  kst_init();
  kst_sum_up();
  for (size_t i = 0; i < kst_record_count(); ++i) {
    struct kst_record *record = kst_record_at(i);
    for (struct kst_sums *of = record->by; of != record->by + KST_WHO; ++of)
      for (uint32_t c = 0; c < record->n; ++c)
        of->base[c] += of->sum[c];
  }
  kst_process.started_ns = kst_now();
  kst_process.dumped = 0;
  kst_unlock(&guard);
  errno = before;
}
