// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one lock of the runtime, and the one allocator, usable in signal
// handlers.

#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kst_lock(struct kst_guard *guard) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &guard->mask);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel);
  pthread_mutex_lock(&lock);
}

void kst_unlock(const struct kst_guard *guard) {
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(guard->cancel, NULL);
  pthread_sigmask(SIG_SETMASK, &guard->mask, NULL);
}

void *kst_memory(size_t bytes) {
  static char *next;
  static size_t room;
  const size_t chunk = 1 << 18;
  if (bytes > SIZE_MAX / 2)
    return NULL;
  bytes = (bytes + 15) & ~(size_t)15;
  bool own = bytes > chunk / 4;
  if (own || bytes > room) {
    size_t size = own ? bytes : chunk;
    int before = errno;
    char *more = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) {
      errno = before;
      return NULL;
    }
    if (own)
      return more;
    next = more;
    room = size;
  }
  char *result = next;
  next += bytes;
  room -= bytes;
  return result;
}
