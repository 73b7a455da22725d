/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exact: */
/* Threads with locks and atomics, and a signal handler; what each does is
 * fixed, in which order is not. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

struct shared {
  pthread_mutex_t lock;
  long plain;
  _Atomic long counter;
  atomic_flag flag;
  volatile sig_atomic_t signals;
  struct { unsigned a : 5, b : 11; } bits;
};

static struct shared s = {PTHREAD_MUTEX_INITIALIZER};
struct mine { struct shared *s; int id; long done; };

static void handler(int number) { s.signals = s.signals + (number == SIGUSR1); }

static void *run(void *argument) {
  struct mine *m = argument;
  for (int i = 0; i < 2000; ++i) {
    atomic_fetch_add(&m->s->counter, m->id);
    __atomic_store_n(&m->done, i, __ATOMIC_RELEASE);
    if (i % 10 == 0) {
      pthread_mutex_lock(&m->s->lock);
      m->s->plain += m->id;
      m->s->bits.a++;
      m->s->bits.b += m->s->bits.a;
      pthread_mutex_unlock(&m->s->lock);
    }
  }
  return &m->done;
}

int main(void) {
  struct mine all[4];
  pthread_t threads[4];
  signal(SIGUSR1, handler);
  for (int i = 0; i < 4; ++i) {
    all[i] = (struct mine){&s, i + 1, 0};
    pthread_create(&threads[i], NULL, run, &all[i]);
  }
  for (int i = 0; i < 50; ++i)
    raise(SIGUSR1);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  printf("%ld %ld %d %u\n", s.plain, (long)s.counter, (int)s.signals, s.bits.a);
  return 0;
}
