/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events by hand: from threads, signal handlers, a forked child, and one site
 * that does not exist. */
#include "handmade.h"

#include <sched.h>

static struct kst_unit unit = {0x4444, 0, 0, 16, 0, KST_USER_VERSION};
static struct kst_unit other = {0x5555, 0, 0, 2, 0, KST_USER_VERSION};
static unsigned long signals;
static _Atomic int stop;

static void *trace(void *unused) {
  for (int i = 0; i < 10000; ++i)
    __kst_trace(&unit, (kst_u32)(i & 1), (void *)0x7fff12345678);
  return unused;
}

static void handler(int number) {
  (void)number;
  ++signals;
  __kst_trace(&unit, 2, (void *)0x1000);
}

static void *send_signals(void *thread) {
  for (int i = 0; i < 20000 && !stop; ++i) {
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    sched_yield();
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t all[4], self = pthread_self(), sender;
  for (int i = 0; i < 4; ++i)
    CHECK(!pthread_create(&all[i], NULL, trace, NULL));
  for (int i = 0; i < 4; ++i)
    pthread_join(all[i], NULL);
  __kst_trace(&other, 1, (void *)0x2000);
  __kst_trace(&other, 2, (void *)0x2000); /* lost: it has 2 sites */
  if (argc > 1 && !strcmp(argv[1], "killed"))
    raise(SIGKILL);
  if (argc > 1) {
    signal(SIGUSR1, handler);
    CHECK(!pthread_create(&sender, NULL, send_signals, &self));
    for (int i = 0; i < 200; ++i)
      trace(NULL);
    stop = 1;
    pthread_join(sender, NULL);
    signal(SIGUSR1, SIG_IGN);
    printf("%lu\n", 40000 + 2 + 200 * 10000 + signals);
    return 0;
  }
  CHECK(!kst_dump());
  if (!fork()) {
    __kst_trace(&other, 0, (void *)0x3000);
    exit(0);
  }
  wait(NULL);
  __kst_trace(&other, 0, (void *)0x2008);
  return 0;
}
