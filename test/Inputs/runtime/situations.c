/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that counts by hand in every situation in which counts could get
 * lost; the first argument says which. situations.py knows the sums. */
#define _GNU_SOURCE
#include "handmade.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

UNIT(one, 0x1111, 4)
UNIT(two, 0x2222, 2)

#define THREADS 8
#define EACH 10000

static void *count_and_end(void *unused) {
  (void)unused;
  for (int i = 0; i < EACH; ++i) {
    one_count(0);
    if (i % 10 == 0)
      two_count(1);
  }
  return NULL;
}

static void threads(void *(*body)(void *)) {
  pthread_t all[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(!pthread_create(&all[i], NULL, body, NULL));
  for (int i = 0; i < THREADS; ++i)
    CHECK(!pthread_join(all[i], NULL));
}

/* Threads that have counted and sleep when the process ends. */
static sem_t counted;
static void *count_and_stay(void *unused) {
  count_and_end(unused);
  sem_post(&counted);
  for (;;)
    pause();
  return NULL;
}

static void live_threads(void) {
  sem_init(&counted, 0, 0);
  for (int i = 0; i < THREADS; ++i) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, count_and_stay, NULL));
  }
  for (int i = 0; i < THREADS; ++i)
    while (sem_wait(&counted))
      ;
}

/* Destructors of the program's own keys, which run after the runtime's. */
static pthread_key_t late_key, later_key;
static void late(void *unused) {
  (void)unused;
  one_count(1);
}
static void later(void *rounds) {
  one_count(2);
  two_count(0); /* the first use of this unit in the thread */
  if ((intptr_t)rounds > 1)
    pthread_setspecific(later_key, (void *)((intptr_t)rounds - 1));
}
static void *with_destructors(void *unused) {
  (void)unused;
  one_count(0);
  pthread_setspecific(late_key, &late_key);
  pthread_setspecific(later_key, (void *)3);
  return NULL;
}
/* Counts for the first time when it ends. */
static void *only_destructors(void *unused) {
  (void)unused;
  pthread_setspecific(later_key, (void *)2);
  return NULL;
}
static void *cancelled(void *unused) {
  one_count(3);
  sem_post(&counted);
  for (;;)
    pause();
  return unused;
}

static void destructors(void) {
  pthread_key_create(&late_key, late);
  pthread_key_create(&later_key, later);
  threads(with_destructors);
  threads(only_destructors);
  pthread_t thread;
  sem_init(&counted, 0, 0);
  CHECK(!pthread_create(&thread, NULL, cancelled, NULL));
  while (sem_wait(&counted))
    ;
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

static void count_at_exit(void) { one_count(3); }
__attribute__((destructor)) static void count_in_destructor(void) {
  if (one_block.block.attached) /* only where the test counts at all */
    one_count(2);
}

/* The process ends with its last thread, which is not the first one. */
static void *last_thread(void *unused) {
  (void)unused;
  struct timespec moment = {0, 50000000};
  nanosleep(&moment, NULL);
  one_count(1);
  return NULL;
}

static void last(void) {
  pthread_t thread;
  atexit(count_at_exit);
  one_count(0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  CHECK(!pthread_create(&thread, &attributes, last_thread, NULL));
  pthread_exit(NULL);
}

/* Forks while other threads count and end. */
static void forks(void) {
  pthread_t all[THREADS];
  one_count(1);
  for (int i = 0; i < THREADS; ++i)
    CHECK(!pthread_create(&all[i], NULL, count_and_end, NULL));
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      one_count(2);
      if (i == 3) {
        threads(count_and_end);
        if (!fork()) {
          one_count(3);
          exit(0);
        }
        wait(NULL);
      }
      exit(0);
    }
  }
  for (int i = 0; i < THREADS; ++i)
    CHECK(!pthread_join(all[i], NULL));
  while (wait(NULL) > 0)
    ;
}

/* What a vfork child counts is counted in its parent's memory. */
static void vforks(char **argv) {
  one_count(0);
  for (int i = 0; i < 3; ++i) {
    pid_t child = vfork();
    if (!child) {
      one_count(1);
      two_count(0); /* attaches in the child */
      __kst_rt_flush();
      if (i == 2)
        execl(argv[0], argv[0], "count", (char *)NULL);
      _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
  }
  one_count(2);
}

/* A child made by the system call itself: nobody told the runtime. */
static void raw_fork(void) {
  one_count(0);
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (!child) {
    one_count(1);
    exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child);
}

static void execs(char **argv) {
  one_count(0);
  __kst_rt_flush();
  execl("/does/not/exist", "nothing", (char *)NULL);
  one_count(1);
  __kst_rt_flush();
  execl(argv[0], argv[0], "count", (char *)NULL);
  abort();
}

static void on_alarm(int number) {
  (void)number;
  one_count(3);
}

/* A handler that is the first to count in its thread, and signals that come
 * while a thread counts, attaches and ends. A signal is late in a thread that
 * ran its first destructor: no round of them may follow that takes its counts.
 */
static volatile sig_atomic_t handled;
static void first_in_handler(int number) {
  (void)number;
  one_count(0);
  two_count(0);
  handled = handled + 1;
}
static void *wait_for_signal(void *unused) {
  (void)unused;
  pthread_kill(pthread_self(), SIGUSR1);
  return NULL;
}
static pthread_key_t end_key;
static __thread int ends;
static void thread_ends(void *unused) {
  (void)unused;
  ends = 1;
}
static _Atomic unsigned long signals, late_signals;
static void storm_handler(int number) {
  (void)number;
  signals += 1; /* one atomic step: handlers run in several threads at once */
  late_signals += ends;
  one_count(1);
  two_count(1);
}
static void *short_thread(void *unused) {
  (void)unused;
  pthread_setspecific(end_key, &end_key);
  one_count(0);
  return NULL;
}
static _Atomic int stop;
static void *send_signals(void *unused) {
  pthread_setspecific(end_key, &end_key);
  while (!stop) {
    kill(getpid(), SIGUSR1);
    sched_yield();
  }
  return unused;
}
static void storm(void) {
  pthread_t sender;
  /* Before the runtime makes its key: of a round, this destructor comes first. */
  CHECK(!pthread_key_create(&end_key, thread_ends));
  signal(SIGUSR1, storm_handler);
  CHECK(!pthread_create(&sender, NULL, send_signals, NULL));
  while (!signals) /* a loaded machine may not run the sender for long */
    sched_yield();
  for (int i = 0; i < 50; ++i)
    threads(short_thread);
  stop = 1;
  pthread_join(sender, NULL);
  signal(SIGUSR1, SIG_IGN);
  printf("signals %lu late %lu\n", (unsigned long)signals,
         (unsigned long)late_signals);
}

/* Dumps while threads count: each file is whole, sums never go down. */
static void *dump_often(void *unused) {
  while (!stop)
    CHECK(!kst_dump());
  return unused;
}
static void dumps(void) {
  pthread_t dumper;
  CHECK(!pthread_create(&dumper, NULL, dump_often, NULL));
  for (int i = 0; i < 5; ++i)
    threads(count_and_end);
  stop = 1;
  pthread_join(dumper, NULL);
}

static void resets(void) {
  for (int i = 0; i < 7; ++i)
    one_count(0);
  threads(count_and_end);
  live_threads();
  kst_reset();
  one_count(0);
  one_count(1);
  CHECK(!kst_dump());
  one_count(1);
}

static void by_signal(void) {
  one_count(0);
  raise(SIGUSR2); /* KST_SIGNAL */
  raise(SIGUSR2);
  one_count(1);
  raise(SIGUSR2);
  raise(SIGKILL);
}

static void library(char **argv, int threaded) {
  for (int i = 0; i < 3; ++i) {
    void *handle = dlopen(argv[2], RTLD_NOW);
    if (!handle) {
      fprintf(stderr, "%s\n", dlerror());
      abort();
    }
    void *(*count)(void *) = (void *(*)(void *))dlsym(handle, "count_in_library");
    CHECK(count);
    if (threaded)
      threads(count);
    else
      count(NULL);
    one_count(0);
    CHECK(!dlclose(handle));
  }
}

/* Two threads that stay have counted in the library when it goes. */
static void *(*library_count)(void *);
static void *count_library_and_stay(void *unused) {
  library_count(unused);
  sem_post(&counted);
  for (;;)
    pause();
  return NULL;
}
static void library_and_threads(char **argv) {
  void *handle = dlopen(argv[2], RTLD_NOW);
  CHECK(handle);
  library_count = (void *(*)(void *))dlsym(handle, "count_in_library");
  sem_init(&counted, 0, 0);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, count_library_and_stay, NULL));
  }
  for (int i = 0; i < 2; ++i)
    while (sem_wait(&counted))
      ;
  if (!strcmp(argv[1], "library-closed"))
    CHECK(!dlclose(handle));
  one_count(0);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "nothing"))
    return 0;
  if (!strcmp(what, "count"))
    for (int i = 0; i < 100; ++i)
      one_count(0);
  else if (!strcmp(what, "exit-handlers")) {
    atexit(count_at_exit);
    one_count(0);
  } else if (!strcmp(what, "threads"))
    threads(count_and_end);
  else if (!strcmp(what, "live-threads"))
    live_threads();
  else if (!strcmp(what, "destructors"))
    destructors();
  else if (!strcmp(what, "last-thread"))
    last();
  else if (!strcmp(what, "fork"))
    forks();
  else if (!strcmp(what, "vfork"))
    vforks(argv);
  else if (!strcmp(what, "raw-fork"))
    raw_fork();
  else if (!strcmp(what, "exec"))
    execs(argv);
  else if (!strcmp(what, "_exit")) {
    one_count(0);
    __kst_rt_flush();
    _exit(0);
  } else if (!strcmp(what, "quick_exit")) {
    one_count(0);
    quick_exit(0);
  } else if (!strcmp(what, "first-in-handler")) {
    signal(SIGUSR1, first_in_handler);
    threads(wait_for_signal);
    signal(SIGALRM, on_alarm);
    raise(SIGALRM);
  } else if (!strcmp(what, "storm"))
    storm();
  else if (!strcmp(what, "dumps"))
    dumps();
  else if (!strcmp(what, "resets"))
    resets();
  else if (!strcmp(what, "by-signal"))
    by_signal();
  else if (!strcmp(what, "library"))
    library(argv, 0);
  else if (!strcmp(what, "library-threads"))
    library(argv, 1);
  else if (!strncmp(what, "library-", 8))
    library_and_threads(argv);
  else if (!strcmp(what, "chdir")) {
    one_count(0);
    CHECK(!chdir("/"));
  } else if (!strcmp(what, "close-all")) {
    one_count(0);
    for (int fd = 3; fd < 100; ++fd)
      close(fd);
  } else if (!strcmp(what, "file-limit")) {
    struct rlimit none = {20, 20};
    one_count(0);
    CHECK(kst_dump() == 0);
    one_count(0);
    CHECK(!setrlimit(RLIMIT_FSIZE, &none));
    errno = 0;
    CHECK(kst_dump() == -1 && errno == EFBIG);
  } else if (!strcmp(what, "errno")) {
    errno = 1234;
    one_count(0);
    CHECK(errno == 1234);
    CHECK(!kst_dump());
    CHECK(errno == 1234);
  } else if (*what) {
    fprintf(stderr, "no situation %s\n", what);
    return 2;
  }
  return 0;
}
