// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the guests of dprof_cases.py share: marks, pinned processes, and
// settings from the kernel's command line.

#ifndef KST_BENCH_DPROF_CASES_GUEST_H
#define KST_BENCH_DPROF_CASES_GUEST_H

#define _GNU_SOURCE
#include "../recorder/marks.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  fflush(stdout);
  reboot(RB_POWER_OFF);
  _exit(1);
}

/// A word `name=value` of the kernel's command line, which init finds in its
/// environment.
static int setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static void put(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CREAT, 0644);
  if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
    die(path);
  close(file);
}

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set))
    die("sched_setaffinity");
}

static void mount_at(const char *type, const char *path) {
  mkdir(path, 0755);
  if (mount(type, path, type, 0, 0))
    die(path);
}

/// Memory that all processes share.
static void *shared(size_t bytes) {
  void *at =
      mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    die("mmap");
  return at;
}

#endif
