// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults N: N times maps memory and a file, touches every page, protects,
 * discards, moves and unmaps them, and lets a child copy on write.
 */
#include "workload.h"

#include <sys/resource.h>

#define PAGE 4096
#define PAGES 64

static void touch(char *memory, char value)
{
	int i;

	for (i = 0; i < PAGES; i++)
		memory[i * PAGE] = value;
}

static int same(const char *memory, char value)
{
	int i;

	for (i = 0; i < PAGES; i++)
		if (memory[i * PAGE] != value)
			return 0;
	return 1;
}

static char *mapped(int prot, int flags, int fd)
{
	char *memory = mmap(NULL, PAGES * PAGE, prot, flags, fd, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static void once(int file)
{
	const int both = PROT_READ | PROT_WRITE;
	char *memory = mapped(both, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	char *read_only = mapped(PROT_READ, MAP_SHARED, file);
	char *copy = mapped(both, MAP_PRIVATE, file);

	touch(memory, 1);
	if (!child()) {
		touch(memory, 2);
		_exit(!same(memory, 2));
	}
	expect(!wait_all() && same(memory, 1), "a copy of the child's own");
	touch(copy, 3);
	expect(same(read_only, 7) && same(copy, 3), "a private copy of a file");
	if (mprotect(memory + PAGE, PAGE, PROT_READ) ||
	    mprotect(memory + PAGE, PAGE, both) ||
	    madvise(memory, PAGES * PAGE, MADV_DONTNEED))
		die("mprotect");
	expect(same(memory, 0), "discarded pages");
	memory = mremap(memory, PAGES * PAGE, 2 * PAGES * PAGE, MREMAP_MAYMOVE);
	if (memory == MAP_FAILED)
		die("mremap");
	touch(memory + PAGES * PAGE, 4);
	/* A hole first, so that the map splits. */
	if (munmap(memory + PAGE, PAGE) ||
	    munmap(memory, 2 * PAGES * PAGE) ||
	    munmap(read_only, PAGES * PAGE) || munmap(copy, PAGES * PAGE))
		die("munmap");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 200), i;
	int file = memfd_create("pages", 0);
	struct rusage used;
	char *memory;

	if (file < 0 || ftruncate(file, PAGES * PAGE))
		die("memfd_create");
	memory = mapped(PROT_READ | PROT_WRITE, MAP_SHARED, file);
	touch(memory, 7);
	for (i = 0; i < count; i++)
		once(file);
	if (getrusage(RUSAGE_SELF, &used))
		die("getrusage");
	expect(used.ru_minflt >= count * 2 * PAGES, "a fault for each page");
	printf("rounds=%ld faults=%ld\n", count, used.ru_minflt);
	return 0;
}
