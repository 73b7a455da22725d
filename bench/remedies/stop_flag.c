/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flag that is polled beside progress that is written. */
#include "run.h"

struct job {
  long progress;
  int stop;
  char title[100];
};
struct job *job;

void work(long rounds) {
  for (long i = 0; i < rounds; i++)
    __atomic_store_n(&job->progress, i, __ATOMIC_RELAXED);
}
void poll_stop(long rounds) {
  long stopped = 0;
  for (long i = 0; i < rounds; i++)
    stopped += __atomic_load_n(&job->stop, __ATOMIC_RELAXED);
  job->title[0] = (char)stopped;
}
int main(void) {
  job = aligned_alloc(128, 512);
  memset(job, 0, 512);
  return run_both(work, poll_stop, 60000000);
}
