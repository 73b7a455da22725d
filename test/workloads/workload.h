/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the workloads share: each is one static program that does a given amount
 * of work and prints what it did as key=value, on one line. Exit code 0: done
 * in full; 1: the system refused something, named on stderr; 2: usage.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Argument number n, a count of at least 1; if it is not there, otherwise. */
static inline long argument(int argc, char **argv, int n, long otherwise)
{
	char *end;
	long value;

	if (n >= argc)
		return otherwise;
	value = strtol(argv[n], &end, 10);
	if (*end || value < 1) {
		fprintf(stderr, "%s: a count is expected, not '%s'\n", argv[0],
			argv[n]);
		exit(2);
	}
	return value;
}

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Memory that children share with their parent, all zero. */
static inline void *shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static inline pid_t child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	return pid;
}

/* Waits for all children; 1 if one did not end with exit code 0. */
static inline int wait_all(void)
{
	int status, failed = 0;

	while (wait(&status) > 0)
		failed |= status != 0;
	return failed;
}

/* What it asked for did not happen, though nothing failed. */
static inline void expect(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "not as expected: %s\n", what);
		exit(1);
	}
}

/* An empty folder of its own in that of argument n, or else in /tmp: goes there. */
static inline void enter_scratch(int argc, char **argv, int n)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/work-XXXXXX",
		 n < argc ? argv[n] : "/tmp");
	if (!mkdtemp(name) || chdir(name))
		die(name);
}

/* Removes it; the workload must have removed what it put there. */
static inline void leave_scratch(void)
{
	char name[PATH_MAX];

	if (!getcwd(name, sizeof(name)) || chdir("/") || rmdir(name))
		die("removing the folder");
}

/* Opens a new file, to read and write. */
static inline int new_file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0644);

	if (fd < 0)
		die(name);
	return fd;
}

static inline void write_text(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY);
	ssize_t size = strlen(text);

	if (fd < 0 || write(fd, text, size) != size || close(fd))
		die(name);
}

#endif
