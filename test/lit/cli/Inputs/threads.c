/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set before any thread is there; written by one thread beside what another one
 * reads; used by the first thread only.
 */
#include <pthread.h>
#include <stdlib.h>

struct {
  _Alignas(64) int rounds, step;
} set;
_Alignas(64) volatile long hits;
volatile long limit;
struct {
  _Alignas(64) volatile long done;
} of_main;
volatile long wanted;

static void *count(void *arg) {
  for (int i = 0; i < set.rounds; i++)
    hits += set.step;
  return arg;
}

static void *look(void *arg) {
  while (hits < limit)
    ;
  return arg;
}

int main(int argc, char **argv) {
  pthread_t t[2];
  set.rounds = argc > 1 ? atoi(argv[1]) : 1000;
  set.step = argc;
  pthread_create(&t[0], 0, count, 0);
  pthread_create(&t[1], 0, look, 0);
  for (long i = 0; i < wanted; i++)
    of_main.done++;
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  return 0;
}
