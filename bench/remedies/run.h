/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads on two CPUs, each with a share of the work; prints CPU seconds.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct half {
  void (*run)(long rounds);
  int cpu;
  long rounds;
};

static void *run_half(void *arg) {
  const struct half *half = arg;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(half->cpu, &cpus);
  sched_setaffinity(0, sizeof(cpus), &cpus);
  half->run(half->rounds);
  return NULL;
}

static int run_both(void (*one)(long), void (*other)(long), long rounds) {
  struct half halves[2] = {{one, 0, rounds}, {other, 1, rounds}};
  pthread_t threads[2];
  struct timespec used;
  for (int i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], NULL, run_half, &halves[i]))
      return 1;
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  printf("%.6f\n", (double)used.tv_sec + (double)used.tv_nsec / 1e9);
  return 0;
}
