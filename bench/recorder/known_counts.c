// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's init for known_counts.py: works between two markers and prints
// what the kernel itself counted meanwhile, by /proc/schedstat and /proc/stat.

#define _GNU_SOURCE
#include "marks.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[65536];

static const char *read_file(const char *path) {
  int file = open(path, O_RDONLY);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  text[size > 0 ? size : 0] = 0;
  close(file);
  return text;
}

// Fields 1, 3-6 of the lines "cpu" of /proc/schedstat, summed over CPUs:
// Documentation/scheduler/sched-stats.rst. Then context switches.
struct known {
  unsigned long yields, schedules, idles, wakeups, local_wakeups, switches;
};

static struct known look(void) {
  struct known sum = {0, 0, 0, 0, 0, 0};
  char *line = (char *)read_file("/proc/schedstat");
  while ((line = strstr(line, "\ncpu"))) {
    unsigned long f[6] = {0};
    sscanf(++line, "cpu%*u %lu %lu %lu %lu %lu %lu", &f[0], &f[1], &f[2], &f[3],
           &f[4], &f[5]);
    sum.yields += f[0];
    sum.schedules += f[2];
    sum.idles += f[3];
    sum.wakeups += f[4];
    sum.local_wakeups += f[5];
  }
  line = strstr(read_file("/proc/stat"), "ctxt ");
  sum.switches = line ? strtoul(line + 5, NULL, 10) : 0;
  return sum;
}

static void ping_pong(int rounds) {
  int there[2], back[2];
  char byte = 0;
  if (pipe(there) || pipe(back))
    exit(1);
  if (!fork()) {
    close(there[1]);
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
      ;
    _exit(0);
  }
  for (int i = 0; i < rounds; ++i)
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
      exit(1);
  close(there[1]);
  wait(NULL);
}

int main(void) {
  mkdir("/proc", 0755);
  mount("proc", "/proc", "proc", 0, 0);
  int file = open("/proc/sys/kernel/sched_schedstats", O_WRONLY);
  int on = file >= 0 && write(file, "1", 1) == 1;
  setvbuf(stdout, NULL, _IONBF, 0);
  sleep(1); // the other CPUs come to rest
  struct known before = look();
  mark_start();
  for (int i = 0; i < 20000; ++i)
    sched_yield();
  ping_pong(5000);
  mark_stop();
  struct known after = look();
  printf("known schedstats %d yields %lu schedules %lu idles %lu wakeups %lu "
         "local_wakeups %lu switches %lu\n",
         on, after.yields - before.yields, after.schedules - before.schedules,
         after.idles - before.idles, after.wakeups - before.wakeups,
         after.local_wakeups - before.local_wakeups,
         after.switches - before.switches);
  reboot(RB_POWER_OFF);
  return 0;
}
