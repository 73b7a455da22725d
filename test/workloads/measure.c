// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure LABEL FOLDER [trace] -- COMMAND ARGUMENTS...: runs a command between
 * a reset of the counters and reading them, with as little else as possible.
 *
 * Leaves in FOLDER: LABEL.kstraw, the counters (LABEL.ksttrace: the trace), if
 * the kernel has them; LABEL.before and LABEL.after, what the kernel itself
 * counts: /proc/stat and /proc/schedstat; LABEL.time, elapsed_ns=N. Ends with
 * the exit code of the command, 1 if it has none.
 */
#include "workload.h"

#include <fcntl.h>

#define KST "/sys/kernel/debug/kst/"

static char buffer[1 << 20];

static int in(const char *folder, const char *label, const char *ending)
{
	char path[512];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s.%s", folder, label, ending) >=
	    (int)sizeof(path)) {
		fprintf(stderr, "measure: name too long\n");
		exit(2);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		die(path);
	return fd;
}

/* Copies the rest of one file to another. */
static void copy(int from, int to)
{
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, got) != got)
			die("write");
	if (got < 0)
		die("read");
}

static void copy_file(const char *path, int to)
{
	int from = open(path, O_RDONLY);

	if (from < 0)
		return;
	copy(from, to);
	close(from);
}

static void own_counts(int to)
{
	copy_file("/proc/stat", to);
	copy_file("/proc/schedstat", to);
}

static void control(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(file);
	close(fd);
}

static int command(char **argv)
{
	pid_t pid = child();
	int status;

	if (!pid) {
		execvp(argv[0], argv);
		die(argv[0]);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	int trace = argc > 3 && !strcmp(argv[3], "trace");
	int has_kst = !access(KST "control", W_OK);
	const char *label, *folder;
	int before, after, time, counters = -1, code;
	struct timespec began, ended;
	char line[256];

	if (argc < 5 + trace || strcmp(argv[3 + trace], "--")) {
		fprintf(stderr,
			"usage: measure LABEL FOLDER [trace] -- COMMAND...\n");
		return 2;
	}
	label = argv[1];
	folder = argv[2];
	before = in(folder, label, "before");
	after = in(folder, label, "after");
	time = in(folder, label, "time");
	if (has_kst) {
		snprintf(line, sizeof(line), "label=%s\n", label);
		control(KST "control", line);
		if (trace)
			control(KST "control", "trace=on\n");
		control(KST "reset", "1\n");
	}
	own_counts(before);
	clock_gettime(CLOCK_MONOTONIC, &began);
	code = command(argv + 4 + trace);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	/* Counters are what they were at open(). */
	if (has_kst)
		counters = open(KST "counters", O_RDONLY);
	own_counts(after);
	snprintf(line, sizeof(line), "elapsed_ns=%lld\n",
		 (ended.tv_sec - began.tv_sec) * 1000000000ll +
		 ended.tv_nsec - began.tv_nsec);
	if (write(time, line, strlen(line)) < 0)
		die("write");
	if (!has_kst)
		return code;
	if (counters < 0)
		die("counters");
	copy(counters, in(folder, label, "kstraw"));
	if (trace) {
		int from = open(KST "trace", O_RDONLY);

		if (from < 0)
			die("trace");
		copy(from, in(folder, label, "ksttrace"));
	}
	return code;
}
