// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filelocks N [FOLDER]: two processes add to a number in a file in FOLDER, N
 * times each, under flock, under a lock of a range that belongs to the process,
 * and under one that belongs to the open file.
 */
#include "workload.h"

#include <sys/file.h>

static void range(int fd, int command, short kind)
{
	struct flock lock = { .l_type = kind,
			      .l_whence = SEEK_SET,
			      .l_start = 100,
			      .l_len = 8 };

	if (fcntl(fd, command, &lock))
		die("fcntl");
}

static void lock(int fd, int kind)
{
	if (kind == 0 && flock(fd, LOCK_EX))
		die("flock");
	if (kind)
		range(fd, kind == 1 ? F_SETLKW : F_OFD_SETLKW, F_WRLCK);
}

static void unlock(int fd, int kind)
{
	if (kind == 0 && flock(fd, LOCK_UN))
		die("flock");
	if (kind)
		range(fd, kind == 1 ? F_SETLK : F_OFD_SETLK, F_UNLCK);
}

static void add(long count)
{
	int fd = open("number", O_RDWR), kind;
	long number, i;

	if (fd < 0)
		die("number");
	for (kind = 0; kind < 3; kind++)
		for (i = 0; i < count; i++) {
			lock(fd, kind);
			if (pread(fd, &number, 8, 8 * kind) != 8)
				die("read");
			number++;
			if (pwrite(fd, &number, 8, 8 * kind) != 8)
				die("write");
			unlock(fd, kind);
		}
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 3000), numbers[3] = { 0 };
	int fd, i;

	enter_scratch(argc, argv, 2);
	fd = new_file("number");
	if (write(fd, numbers, sizeof(numbers)) != sizeof(numbers))
		die("write");
	for (i = 0; i < 2; i++)
		if (!child())
			add(count);
	if (wait_all() || pread(fd, numbers, sizeof(numbers), 0) < 0)
		return 1;
	for (i = 0; i < 3; i++)
		expect(numbers[i] == 2 * count, "one process at a time");
	if (close(fd) || unlink("number"))
		die("unlink");
	leave_scratch();
	printf("locks=%ld\n", 6 * count);
	return 0;
}
