// SPDX-License-Identifier: GPL-2.0-or-later
//
// The blocks of live threads; what happens to them when a thread ends, a
// library goes or the process forks.
//
// The key's destructor adds up a thread's blocks and takes the thread off the
// list, as its storage is about to go. Destructors of other keys may count
// after it: such blocks hang on the thread alone and ask for another round,
// which glibc gives up to PTHREAD_DESTRUCTOR_ITERATIONS times. What is counted
// after the last one, by a signal handler for example, is lost, unless it is
// the process's last thread.

#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct kst_thread kst_self __attribute__((tls_model("initial-exec")));
struct kst_process kst_process;
const struct kst_trace_hooks *kst_trace_hooks;

static struct kst_thread *threads;
static pthread_key_t key;
static bool has_key;
static struct kst_guard fork_guard;

static uint64_t *counters_of(struct kst_block *block) {
  return (uint64_t *)(block + 1);
}

static void unlink_block(struct kst_block *block) {
  *block->prev = block->next;
  if (block->next)
    block->next->prev = block->prev;
  block->next = NULL;
  block->prev = NULL;
}

// Counters as they are while attached is 0.
static void reset_detached(struct kst_block *block) {
  memset(counters_of(block), 0xff, sizeof(uint64_t) * block->unit->n_counters);
  block->attached = 0;
}

static void add_to_totals(struct kst_block *block) {
  const struct kst_unit *unit = block->unit;
  struct kst_record *record =
      kst_record_of(KST_COUNT_UNIT, unit->hash, unit->n_counters);
  if (!record) // it was made when the block was attached
    return;
  kst_add(record->by[KST_ALL].totals, counters_of(block), unit->n_counters);
  if (!((struct kst_thread *)block->thread)->main)
    kst_add(record->by[KST_OTHERS].totals, counters_of(block),
            unit->n_counters);
}

static void leave_threads(struct kst_thread *thread) {
  if (!thread->prev)
    return;
  *thread->prev = thread->next;
  if (thread->next)
    thread->next->prev = thread->prev;
  thread->next = NULL;
  thread->prev = NULL;
}

static void enter_threads(struct kst_thread *thread) {
  if (thread->prev || thread->ending)
    return;
  thread->next = threads;
  thread->prev = &threads;
  if (threads)
    threads->prev = &thread->next;
  threads = thread;
}

static void thread_ends(void *unused) {
  (void)unused;
  struct kst_guard guard;
  kst_lock(&guard);
  struct kst_thread *self = &kst_self;
  self->keyed = false;
  while (self->blocks) {
    struct kst_block *block = self->blocks;
    add_to_totals(block);
    unlink_block(block);
    reset_detached(block);
  }
  leave_threads(self);
  self->ending = true;
  if (kst_trace_hooks)
    kst_trace_hooks->thread_end(self);
  kst_unlock(&guard);
}

static void fork_before(void) { kst_lock(&fork_guard); }
static void fork_parent(void) {
  struct kst_guard guard = fork_guard;
  kst_unlock(&guard);
}

// The other threads' storage may be gone already: it is not looked at.
static void fork_child(void) {
  struct kst_thread *self = &kst_self;
  bool listed = self->prev != NULL;
  threads = NULL;
  self->next = NULL;
  self->prev = NULL;
  if (listed)
    enter_threads(self);
  for (struct kst_block *block = self->blocks; block; block = block->next)
    memset(counters_of(block), 0, sizeof(uint64_t) * block->unit->n_counters);
  for (size_t i = 0; i < kst_record_count(); ++i) {
    struct kst_record *record = kst_record_at(i);
    for (struct kst_sums *of = record->by; of != record->by + KST_WHO; ++of) {
      memset(of->totals, 0, sizeof(uint64_t) * record->n);
      memset(of->base, 0, sizeof(uint64_t) * record->n);
    }
  }
  self->main = true;
  kst_process.threads = self->seen;
  kst_objects_zero();
  kst_process.pid = getpid();
  kst_process.started_ns = kst_now();
  kst_process.dumped = 0;
  kst_process.finalized = false;
  kst_dump_forked();
  if (kst_trace_hooks)
    kst_trace_hooks->forked(self);
  struct kst_guard guard = fork_guard;
  kst_unlock(&guard);
}

void kst_init(void) {
  if (kst_process.ready)
    return;
  kst_process.ready = true;
  kst_process.pid = getpid();
  kst_process.started_ns = kst_now();
  kst_output_init();
  has_key = !pthread_key_create(&key, thread_ends);
  if (!has_key)
    kst_complain("no thread key left: counts of threads that end are lost", "",
                 0);
  pthread_atfork(fork_before, fork_parent, fork_child);
}

void kst_unwatch(void) {
  if (has_key)
    pthread_key_delete(key);
  has_key = false;
}

void kst_watch_thread(void) {
  struct kst_thread *self = &kst_self;
  if (!self->keyed)
    self->keyed = has_key && !pthread_setspecific(key, self);
}

KST_PUBLIC void __kst_rt_attach(const struct kst_unit *unit,
                                struct kst_block *block) {
  int before = errno;
  struct kst_guard guard;
  kst_lock(&guard);
  // A signal handler may have been here since the caller's step.
  if (!block->attached) {
    kst_image();
    kst_init();
    kst_watch_thread();
    struct kst_thread *self = &kst_self;
    block->unit = unit;
    block->thread = self;
    if (!self->seen) {
      self->seen = true;
      self->main |= syscall(SYS_gettid) == getpid();
      ++kst_process.threads;
    }
    // A thread whose end nobody tells us must not be on a list.
    bool tracked = self->keyed;
    for (uint32_t i = 0; i < unit->n_counters; ++i)
      ++counters_of(block)[i];
    if (unit->version != KST_USER_VERSION) {
      kst_complain("instrumented by another version; not counted", "", 0);
    } else if (!tracked ||
               !kst_record_of(KST_COUNT_UNIT, unit->hash, unit->n_counters)) {
      if (!kst_process.lost_units++)
        kst_complain("no memory; some counts are lost", "", 0);
    } else {
      block->next = self->blocks;
      block->prev = &self->blocks;
      if (block->next)
        block->next->prev = &block->next;
      self->blocks = block;
      enter_threads(self);
    }
    __atomic_store_n(&block->attached, 1, __ATOMIC_RELEASE);
  }
  kst_unlock(&guard);
  errno = before;
}

static void add_to_sums(struct kst_thread *thread) {
  for (struct kst_block *block = thread->blocks; block; block = block->next) {
    const struct kst_unit *unit = block->unit;
    struct kst_record *record =
        kst_record_of(KST_COUNT_UNIT, unit->hash, unit->n_counters);
    if (!record)
      continue;
    kst_add(record->by[KST_ALL].sum, counters_of(block), unit->n_counters);
    if (!thread->main)
      kst_add(record->by[KST_OTHERS].sum, counters_of(block), unit->n_counters);
  }
}

void kst_sum_up(void) {
  for (size_t i = 0; i < kst_record_count(); ++i) {
    struct kst_record *record = kst_record_at(i);
    for (struct kst_sums *of = record->by; of != record->by + KST_WHO; ++of)
      for (uint32_t c = 0; c < record->n; ++c)
        of->sum[c] = of->totals[c] - of->base[c];
  }
  for (struct kst_thread *thread = threads; thread; thread = thread->next)
    add_to_sums(thread);
  if (kst_self.ending)
    add_to_sums(&kst_self);
  kst_objects_sum();
}

static void forget_in(struct kst_thread *thread, const char *low,
                      const char *high) {
  struct kst_block *next;
  for (struct kst_block *block = thread->blocks; block; block = next) {
    next = block->next;
    const char *unit = (const char *)block->unit;
    if (unit < low || unit >= high)
      continue;
    // The counters are left alone: their thread may still be counting, if
    // this is the end of the process and not of the library.
    add_to_totals(block);
    unlink_block(block);
  }
}

void kst_forget_units(const char *low, const char *high) {
  for (struct kst_thread *thread = threads; thread; thread = thread->next)
    forget_in(thread, low, high);
  if (kst_self.ending)
    forget_in(&kst_self, low, high);
}
