/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the user-space runtime share. One lock guards all of it.
 * Whoever holds the lock has all signals blocked and cannot be cancelled, so
 * that a signal handler never finds it held by its own thread. Nothing here
 * calls malloc or stdio: memory comes from mmap, output goes by write(2).
 */
#ifndef KST_RUNTIME_INTERNAL_H
#define KST_RUNTIME_INTERNAL_H

#include "../abi/kst_abi.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KST_PUBLIC __attribute__((visibility("default")))

/* --- Lock.c: the lock, and memory that is never given back. */
struct kst_guard {
  sigset_t mask;
  int cancel;
};
void kst_lock(struct kst_guard *guard);
void kst_unlock(const struct kst_guard *guard);

/* Zeroed, aligned to 16; NULL: none left. Under the lock. */
void *kst_memory(size_t bytes);

/* --- Totals.c: what the file will say. */

/* One record of a raw counters file. kind as in docs/guide/formats.md.
 * totals: of threads and libraries that are gone; base: the sum at the last
 * kst_reset(); sum: room for the dump. n of each. */
struct kst_sums {
  uint64_t *totals;
  uint64_t *base;
  uint64_t *sum;
};
enum { KST_ALL, KST_OTHERS, KST_WHO };
struct kst_record {
  uint64_t hash;
  uint32_t kind;
  uint32_t n;
  struct kst_sums by[KST_WHO]; /* all threads; all but the main one */
};

/* The record of that name, made if there is none; NULL: no memory. */
struct kst_record *kst_record_of(uint32_t kind, uint64_t hash, uint32_t n);
/* The records in order of kind, hash, n. */
size_t kst_record_count(void);
struct kst_record *kst_record_at(size_t index);
/* Adds counters that may change meanwhile to sums. */
void kst_add(uint64_t *sums, const uint64_t *counters, uint32_t n);

/* --- Threads.c */

/* One per thread, in its thread-local storage. In the list of threads from
 * its first attached block to its first end; `ending` from then on: blocks
 * attached later are seen by this thread only. */
struct kst_thread {
  struct kst_thread *next, **prev;
  struct kst_block *blocks;
  void *trace; /* Trace.c */
  bool ending, keyed, in_trace;
  bool seen, main; /* counted in kst_process.threads; the process's first */
};
extern __thread struct kst_thread kst_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What the process has; under the lock. */
struct kst_process {
  bool ready;
  bool finalized; /* the last dump of an ordinary exit was made */
  pid_t pid;      /* of the image; a vfork child differs */
  uint64_t started_ns;
  uint64_t dumped;       /* kst_grand_total() of the last file, plus 1 */
  uint64_t lost_units;   /* blocks without memory for their record */
  uint64_t lost_objects; /* no slot in the page table */
  uint64_t threads;      /* that counted anything */
};
extern struct kst_process kst_process __attribute__((visibility("hidden")));

/* First use: environment, key, fork handlers. Under the lock. */
void kst_init(void);
/* The key of thread ends will call back for this thread. */
void kst_watch_thread(void);
/* Fills `sum` of every record, from totals, threads and objects, less base. */
void kst_sum_up(void);
/* Takes the units in [low, high) out; their counts stay. */
void kst_forget_units(const char *low, const char *high);
/* Before the code that the key would call is unmapped. */
void kst_unwatch(void);

/* --- Objects.c: address mode. */
void kst_objects_load(const struct kst_object *objects, size_t n);
void kst_objects_unload(const struct kst_object *objects, size_t n);
void kst_objects_sum(void);
void kst_objects_zero(void); /* in the child of a fork */
/* The i-th object ever loaded that still is, NULL; i < kst_objects_count(). */
const struct kst_object *kst_object_at(size_t i);
size_t kst_objects_count(void);

/* --- OutputFile.c */

/* A file of ours: written beside its place, then moved there. */
struct kst_output {
  const char *variable, *suffix; /* environment, end of the default name */
  bool claimed;                  /* path is ours, dev and ino as written */
  dev_t dev;
  ino_t ino;
  char path[PATH_MAX];
  char temporary[PATH_MAX];
};
/* Remembers environment and working directory of the start. */
void kst_output_init(void);
/* A variable as it is, or as it was at the start; NULL: neither. */
const char *kst_variable(const char *name);
/* Opens a new temporary file; -1 with errno. */
int kst_output_open(struct kst_output *output);
/* Moves the temporary file to its place: over the file written before if that
 * still is ours, else under a name that nobody has. false: errno, and the
 * temporary file is gone. */
bool kst_output_publish(struct kst_output *output);
/* All bytes; false: errno. */
bool kst_write(int fd, const void *bytes, size_t n);
/* "kst: A B: reason" to stderr; error 0: no reason. */
void kst_complain(const char *what, const char *name, int error);

/* --- Text.c: the key=value lines of a file. */
size_t kst_text(char *to, size_t room, bool counters);
/* At most room - 1 bytes of value, NUL-terminated; the length. */
size_t kst_decimal(char *to, uint64_t value);

/* --- Dump.c */
int kst_dump_locked(void);
/* Forgets the file of the parent. */
void kst_dump_forked(void);
/* Dumps unless the last file says the same already. */
void kst_dump_final(void);

/* --- Trace.c; linked in only with code that traces, so called through this. */
struct kst_trace_hooks {
  void (*thread_end)(struct kst_thread *thread);
  void (*forked)(struct kst_thread *self);
  int (*publish)(void);
};
extern const struct kst_trace_hooks *kst_trace_hooks
    __attribute__((visibility("hidden")));

/* --- Image.c: also makes sure that it is linked in. */
void kst_image(void);

/* Load.c: what runtimes in several files of one process call in each other. */
void __kst_rt_load(const struct kst_object *objects, size_t n);
void __kst_rt_unload(const char *low, const char *high,
                     const struct kst_object *objects, size_t n);
void __kst_rt_attach(const struct kst_unit *unit, struct kst_block *block);
void __kst_rt_flush(void);
void __kst_trace(struct kst_unit *unit, uint32_t site, const void *address);

uint64_t kst_now(void); /* nanoseconds, CLOCK_MONOTONIC */

#endif
