// SPDX-License-Identifier: GPL-2.0-or-later
//
// One object of each kind that two threads share falsely; kinds.h has the
// records. What it prints does not depend on any layout.

#include "kinds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 2000

long spread[THREADS];
long *block;
long printed[THREADS] = {0};
_Atomic long pending[THREADS];
long synced[THREADS];
#define SET(At, To) __c11_atomic_store(&(At), To, __ATOMIC_RELEASE)
struct slot slots[THREADS];
struct pair pair;
struct holder holder;
struct queue *queue;
long one __attribute__((unused));
volatile long left, right;

static void *work(void *arg) {
  long me = (long)arg;
  for (int i = 0; i < ROUNDS; ++i) {
    spread[me]++;
    block[me] += 2;
    printed[me]++;
    SET(pending[me], i);
    __sync_fetch_and_add(&synced[me], 1);
    slots[me].count += 3;
    slots[me].sum += i;
    holder.counts[me] += 1;
  }
  return NULL;
}

static void *first(void *arg) {
  for (int i = 0; i < ROUNDS; ++i) {
    pair.a++;
    left++;
    queue->head++;
  }
  return arg;
}

static void *second(void *arg) {
  for (int i = 0; i < ROUNDS; ++i) {
    pair.b++;
    right++;
    queue->tail++;
  }
  return arg;
}

int main(void) {
  pthread_t ids[THREADS + 2];
  block = malloc(THREADS * sizeof(long));
  if (!block)
    return 1;
  queue = malloc(sizeof(struct queue));
  queue->head = queue->tail = 0;
  for (long i = 0; i < THREADS; ++i) {
    block[i] = 0;
    pthread_create(&ids[i], NULL, work, (void *)i);
  }
  pthread_create(&ids[THREADS], NULL, first, NULL);
  pthread_create(&ids[THREADS + 1], NULL, second, NULL);
  for (int i = 0; i < THREADS + 2; ++i)
    pthread_join(ids[i], NULL);
  for (int i = 0; i < THREADS; ++i)
    printf("%ld %ld %ld %ld %ld %d\n", spread[i], block[i], printed[i],
           slots[i].count, slots[i].sum, holder.counts[i]);
  printf("%ld %ld %ld %ld %ld %ld\n", pair.a, pair.b, left, right, queue->head,
         queue->tail);
  fprintf(stderr, "%p\n", (void *)&printed);
  free(block);
  free(queue);
  return 0;
}
