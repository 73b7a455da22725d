// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's init for trace_counts.py, a program of the guest for
// import_counts.py: makes and drops kernel objects between two markers and
// prints how many the kernel says it allocated and freed of each slab cache
// meanwhile (/sys/kernel/slab, CONFIG_SLUB_STATS). The markers are functions
// and, for recorders that do not see those, a system call that nobody else
// makes. A kernel that records itself (compiled_counts.py) is told to.

#define _GNU_SOURCE
#include "marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CACHES = 512 };
struct cache {
  char name[64];
  long allocs, frees, live;
};

static long number(const char *cache, const char *what) {
  char path[256], text[256];
  snprintf(path, sizeof path, "/sys/kernel/slab/%s/%s", cache, what);
  int file = open(path, O_RDONLY);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  text[size > 0 ? size : 0] = 0;
  close(file);
  return strtol(text, NULL, 10);
}

/// The objects that live; without those that CPUs keep for themselves.
static long live(const char *cache) {
  char path[256];
  snprintf(path, sizeof path, "/sys/kernel/slab/%s/shrink", cache);
  int file = open(path, O_WRONLY);
  if (file >= 0 && write(file, "1", 1) != 1)
    fprintf(stderr, "%s: not written\n", path);
  close(file);
  return number(cache, "objects");
}

static int look(struct cache *caches) {
  int count = 0;
  DIR *all = opendir("/sys/kernel/slab");
  for (struct dirent *one; all && (one = readdir(all)) && count < MAX_CACHES;)
    if (one->d_name[0] != '.')
      snprintf(caches[count++].name, sizeof caches->name, "%s", one->d_name);
  if (all)
    closedir(all);
  for (int i = 0; i < count; ++i) {
    struct cache *c = &caches[i];
    c->allocs =
        number(c->name, "alloc_fastpath") + number(c->name, "alloc_slowpath");
    c->frees =
        number(c->name, "free_fastpath") + number(c->name, "free_slowpath");
    c->live = live(c->name);
  }
  return count;
}

static void recorder(const char *command) {
  int file = open("/sys/kernel/debug/kst/control", O_WRONLY);
  if (file >= 0 && write(file, command, strlen(command)) < 0)
    perror(command);
  close(file);
}

static void work(void) {
  char name[32];
  int ends[2];
  for (int i = 0; i < 2000; ++i)
    if (!pipe(ends)) {
      close(ends[0]);
      close(ends[1]);
    }
  for (int i = 0; i < 1000; ++i)
    if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
      if (write(ends[0], "x", 1) != 1 || read(ends[1], name, 1) != 1)
        exit(1);
      close(ends[0]);
      close(ends[1]);
    }
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "/file%d", i);
    close(open(name, O_CREAT | O_WRONLY, 0644));
  }
  for (int i = 0; i < 1000; ++i) {
    snprintf(name, sizeof name, "/file%d", i);
    unlink(name);
  }
  for (int i = 0; i < 200; ++i) {
    if (!fork())
      _exit(0);
    wait(NULL);
  }
}

int main(void) {
  static struct cache first[MAX_CACHES], before[MAX_CACHES], after[MAX_CACHES];
  if (getpid() == 1) {
    mkdir("/sys", 0755);
    mount("sysfs", "/sys", "sysfs", 0, 0);
  }
  setvbuf(stdout, NULL, _IONBF, 0);
  look(first); // what reading everything allocates once stays
  look(first);
  int count = look(before);
  personality(0xffffffff); // asks only
  recorder("trace=on");
  mark_start();
  work();
  mark_stop();
  recorder("trace=off");
  personality(0xffffffff);
  look(after);
  // Less what looking takes.
  for (int i = 0; i < count; ++i)
    printf("live %s %ld %ld\nlife %s %ld %ld\n", after[i].name, after[i].live,
           before[i].live, before[i].name,
           after[i].allocs - 2 * before[i].allocs + first[i].allocs,
           after[i].frees - 2 * before[i].frees + first[i].frees);
  for (int i = 0; i < count; ++i)
    printf("size %s %ld\n", before[i].name,
           number(before[i].name, "object_size"));
  if (getpid() == 1)
    reboot(RB_POWER_OFF);
  return 0;
}
