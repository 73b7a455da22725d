// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a file says about the run: lines of key=value.

#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

uint64_t kst_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

size_t kst_decimal(char *to, uint64_t value) {
  char digits[21];
  size_t n = 0, length = 0;
  do
    digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n)
    to[length++] = digits[--n];
  to[length] = 0;
  return length;
}

struct writer {
  char *to;
  size_t length, room;
};

// A value is one line; what does not fit is left out as a whole.
static void line(struct writer *w, const char *key, const char *value) {
  size_t k = strlen(key), v = strlen(value);
  if (w->length + k + v + 2 > w->room)
    return;
  memcpy(w->to + w->length, key, k);
  w->length += k;
  w->to[w->length++] = '=';
  for (size_t i = 0; i < v; ++i)
    w->to[w->length++] = (unsigned char)value[i] < ' ' ? '?' : value[i];
  w->to[w->length++] = '\n';
}

static void number(struct writer *w, const char *key, uint64_t value) {
  char digits[21];
  kst_decimal(digits, value);
  line(w, key, digits);
}

size_t kst_text(char *to, size_t room, bool counters) {
  static long cpus; // sysconf() reads files: once
  static char program[PATH_MAX];
  if (!cpus) {
    cpus = sysconf(_SC_NPROCESSORS_ONLN);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
      strncpy(program, program_invocation_name, sizeof program - 1);
  }
  struct writer w = {to, 0, room};
  struct utsname system;
  line(&w, "source", "user");
  if (!uname(&system)) {
    line(&w, "release", system.release);
    line(&w, "machine", system.machine);
  }
  line(&w, "program", program);
  const char *label = kst_variable("KST_LABEL");
  if (label)
    line(&w, "label", label);
  number(&w, "cpus", cpus > 0 ? (uint64_t)cpus : 1);
  number(&w, "pid", (uint64_t)kst_process.pid);
  if (counters) {
    number(&w, "threads", kst_process.threads);
    number(&w, "duration_ns", kst_now() - kst_process.started_ns);
    number(&w, "lost_objects", kst_process.lost_objects);
    number(&w, "lost_units", kst_process.lost_units);
  }
  return w.length;
}
