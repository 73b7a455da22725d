// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sharedmap N [FOLDER]: two processes write in turn to one file that both map
 * shared, N times; each checks what the other wrote, and what read() says.
 */
#include "workload.h"

#include <semaphore.h>

#define PAGE 4096
#define PAGES 64

struct turns {
	sem_t of[2];
};

static long *map(int fd)
{
	long *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	return pages;
}

static void side(struct turns *turns, int fd, int me, long count)
{
	long *pages = map(fd), i, by_read;

	for (i = me; i < 2 * count; i += 2) {
		long *at = pages + i % PAGES * (PAGE / 8);
		long *before = pages + (i - 1) % PAGES * (PAGE / 8);

		if (sem_wait(&turns->of[me]))
			die("sem_wait");
		expect(!i || *before == i - 1, "what the other side wrote");
		*at = i;
		if (pread(fd, &by_read, 8, i % PAGES * PAGE) != 8)
			die("pread");
		expect(by_read == i, "what read() says");
		/* Clean pages: the next write faults again. */
		if (i % PAGES == 0 && msync(pages, PAGES * PAGE, MS_SYNC))
			die("msync");
		if (i % (8 * PAGES) == me) {
			if (munmap(pages, PAGES * PAGE))
				die("munmap");
			pages = map(fd);
		}
		if (sem_post(&turns->of[!me]))
			die("sem_post");
	}
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 5000);
	struct turns *turns = shared(sizeof(*turns));
	int fd;

	enter_scratch(argc, argv, 2);
	fd = new_file("shared");
	if (ftruncate(fd, PAGES * PAGE) || sem_init(&turns->of[0], 1, 1) ||
	    sem_init(&turns->of[1], 1, 0))
		die("shared");
	if (!child()) {
		side(turns, fd, 1, count);
		_exit(0);
	}
	side(turns, fd, 0, count);
	if (wait_all() || close(fd) || unlink("shared"))
		return 1;
	leave_scratch();
	printf("writes=%ld\n", 2 * count);
	return 0;
}
