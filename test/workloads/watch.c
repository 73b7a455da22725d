// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch N [FOLDER]: N times makes, writes, renames and removes a file in a
 * folder that inotify watches, and reads the events of it.
 */
#include "workload.h"

#include <sys/inotify.h>

static long seen[32];

static void read_events(int fd)
{
	char buffer[4096] __attribute__((aligned(8)));
	ssize_t got = read(fd, buffer, sizeof(buffer)), at = 0;

	if (got <= 0)
		die("inotify");
	while (at < got) {
		struct inotify_event *event = (void *)(buffer + at);
		int bit;

		for (bit = 0; bit < 32; bit++)
			seen[bit] += event->mask >> bit & 1;
		at += sizeof(*event) + event->len;
	}
}

static long events(unsigned mask)
{
	return seen[__builtin_ctz(mask)];
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 3000), i;
	int fd = inotify_init1(IN_CLOEXEC), watch;

	enter_scratch(argc, argv, 2);
	watch = inotify_add_watch(fd, ".", IN_ALL_EVENTS);
	if (watch < 0)
		die("inotify");
	for (i = 0; i < count; i++) {
		int file = new_file("name");

		if (write(file, "text", 4) != 4 || close(file) ||
		    rename("name", "other") || unlink("other"))
			die("a file");
		read_events(fd);
	}
	if (inotify_rm_watch(fd, watch))
		die("inotify");
	expect(events(IN_CREATE) == count && events(IN_MODIFY) == count &&
		       events(IN_CLOSE_WRITE) == count &&
		       events(IN_MOVED_FROM) == count &&
		       events(IN_DELETE) == count,
	       "each event once");
	leave_scratch();
	printf("files=%ld\n", count);
	return 0;
}
