// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of output files, and how a file gets its name: complete, at once, and
// never in place of a file that is not ours. Another process may run with the
// same KST_FILE, and an earlier image of this process (before exec) may have
// left its file under this pid.

#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static char start_directory[PATH_MAX];

// Variables as they were at the start: servers clear their environment.
static struct {
  const char *name;
  char value[PATH_MAX];
} at_start[] = {{"KST_FILE", ""}, {"KST_TRACE_FILE", ""}, {"KST_LABEL", ""}};

const char *kst_variable(const char *name) {
  const char *now = secure_getenv(name);
  if (now)
    return now;
  for (size_t i = 0; i < sizeof at_start / sizeof *at_start; ++i)
    if (!strcmp(name, at_start[i].name) && *at_start[i].value)
      return at_start[i].value;
  return NULL;
}

void kst_output_init(void) {
  for (size_t i = 0; i < sizeof at_start / sizeof *at_start; ++i) {
    const char *value = secure_getenv(at_start[i].name);
    if (value && strlen(value) < sizeof at_start[i].value)
      strcpy(at_start[i].value, value);
  }
  if (!getcwd(start_directory, sizeof start_directory))
    start_directory[0] = 0;
}

void kst_complain(const char *what, const char *name, int error) {
  char text[PATH_MAX + 512];
  size_t n = 0;
  const char *parts[] = {"kst: ",
                         what,
                         *name ? " " : "",
                         name,
                         error ? ": " : "",
                         error ? strerrordesc_np(error) : "",
                         "\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    for (const char *c = parts[i] ? parts[i] : "?"; *c && n < sizeof text; ++c)
      text[n++] = *c;
  kst_write(STDERR_FILENO, text, n);
}

bool kst_write(int fd, const void *bytes, size_t n) {
  const char *from = bytes;
  while (n) {
    ssize_t done = write(fd, from, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 &&
        errno == EFBIG) { // the limit's signal is not for the program
      sigset_t limit;
      sigemptyset(&limit);
      sigaddset(&limit, SIGXFSZ);
      sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
      errno = EFBIG;
    }
    if (done <= 0) {
      if (!done)
        errno = ENOSPC;
      return false;
    }
    from += done;
    n -= (size_t)done;
  }
  return true;
}

struct name {
  char *to;
  size_t length;
  bool too_long;
};

static void add(struct name *name, const char *text) {
  size_t n = strlen(text);
  if (name->length + n >= PATH_MAX) {
    name->too_long = true;
    return;
  }
  memcpy(name->to + name->length, text, n + 1);
  name->length += n;
}

static void add_program(struct name *name) {
  char path[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) {
    add(name, program_invocation_short_name);
    return;
  }
  path[n] = 0;
  const char *slash = strrchr(path, '/');
  add(name, slash ? slash + 1 : path);
}

// The name without a suffix against collisions: %p pid, %h host, %b program.
// *has_pid: %p is in it.
static bool expand(struct kst_output *output, bool *has_pid) {
  const char *pattern = kst_variable(output->variable);
  char fallback[32], digits[21];
  kst_decimal(digits, (uint64_t)kst_process.pid);
  if (!pattern || !*pattern) {
    strcpy(fallback, "kst.%p");
    strcat(fallback, output->suffix);
    pattern = fallback;
  }
  struct name name = {output->path, 0, false};
  struct utsname system;
  output->path[0] = 0;
  if (*pattern != '/' && *start_directory) {
    add(&name, start_directory);
    add(&name, "/");
  }
  for (*has_pid = false; *pattern; ++pattern) {
    char one[2] = {*pattern, 0};
    if (*pattern != '%' || !pattern[1]) {
      add(&name, one);
      continue;
    }
    switch (*++pattern) {
    case 'p':
      *has_pid = true;
      add(&name, digits);
      break;
    case 'h':
      add(&name, uname(&system) ? "unknown" : system.nodename);
      break;
    case 'b':
      add_program(&name);
      break;
    case '%':
      add(&name, "%");
      break;
    default: // not ours: as it stands
      add(&name, "%");
      one[0] = *pattern;
      add(&name, one);
    }
  }
  if (name.too_long)
    errno = ENAMETOOLONG;
  return !name.too_long;
}

// The try-th choice: NAME.EXT, NAME.PID.EXT, NAME.PID.1.EXT, ...
static bool choose(struct kst_output *output, unsigned try) {
  bool has_pid;
  if (!expand(output, &has_pid))
    return false;
  if (!try)
    return true;
  char middle[48] = "", digits[21];
  if (!has_pid) {
    strcat(middle, ".");
    kst_decimal(digits, (uint64_t)kst_process.pid);
    strcat(middle, digits);
    --try;
  }
  if (try) {
    strcat(middle, ".");
    kst_decimal(digits, try);
    strcat(middle, digits);
  }
  char *slash = strrchr(output->path, '/');
  char *file = slash ? slash + 1 : output->path;
  char *dot = strrchr(file, '.');
  if (!dot || dot == file)
    dot = file + strlen(file);
  size_t m = strlen(middle), rest = strlen(dot) + 1;
  if ((size_t)(dot - output->path) + rest + m > PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  memmove(dot + m, dot, rest);
  memcpy(dot, middle, m);
  return true;
}

int kst_output_open(struct kst_output *output) {
  static unsigned number;
  bool has_pid;
  if (!output->claimed && !expand(output, &has_pid))
    return -1;
  char file[64] = ".kst-", digits[21];
  kst_decimal(digits, (uint64_t)kst_process.pid);
  strcat(file, digits);
  strcat(file, "-");
  const char *slash = strrchr(output->path, '/');
  size_t directory = slash ? (size_t)(slash + 1 - output->path) : 0;
  if (directory + sizeof file + 32 > PATH_MAX) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (;;) { // one of that name may be left from a process that was killed
    memcpy(output->temporary, output->path, directory);
    strcpy(output->temporary + directory, file);
    kst_decimal(digits, ++number);
    strcat(output->temporary + directory, digits);
    int fd = open(output->temporary,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
}

// A rename that fails with EEXIST if there is a file.
static bool move_to_new(const char *from, const char *to) {
  if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u))
    return true;
  if (errno == EEXIST)
    return false;
  if (!link(from, to)) { // a file system or kernel without that call
    unlink(from);
    return true;
  }
  if (errno == EEXIST)
    return false;
  int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return false;
  close(fd);
  if (!rename(from, to))
    return true;
  int error = errno;
  unlink(to);
  errno = error == EEXIST ? EIO : error;
  return false;
}

bool kst_output_publish(struct kst_output *output) {
  struct stat now;
  bool good = false;
  if (output->claimed && !lstat(output->path, &now) &&
      now.st_dev == output->dev && now.st_ino == output->ino) {
    good = !rename(output->temporary, output->path);
  } else {
    for (unsigned try = 0; try < 1000000 && !good; ++try) {
      if (!choose(output, try))
        break;
      good = move_to_new(output->temporary, output->path);
      if (!good && errno != EEXIST)
        break;
    }
  }
  if (!good || lstat(output->path, &now)) {
    int error = errno;
    if (!good)
      unlink(output->temporary);
    output->claimed = false;
    errno = error;
    return good;
  }
  output->claimed = true;
  output->dev = now.st_dev;
  output->ino = now.st_ino;
  return true;
}
