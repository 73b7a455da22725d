/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads with sums of their own, side by side on the heap. */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 2, ROUNDS = 20000 };
#ifdef MENDED
enum { STEP = 64 / sizeof(int) };
#else
enum { STEP = 1 };
#endif
static int *sums;
static pthread_barrier_t begin;

static void *work(void *arg) {
  const long id = (long)arg;
  pthread_barrier_wait(&begin);
  for (int i = 0; i < ROUNDS; i++)
    sums[id * STEP] += i;
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  sums = aligned_alloc(64, THREADS * 64);
  pthread_barrier_init(&begin, NULL, THREADS);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return sums[0] == 1;
}
