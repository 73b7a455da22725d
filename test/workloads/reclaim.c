// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reclaim N FOLDER [swap]: N times writes a file of 32 MiB in FOLDER and reads
 * it back, in a cgroup with a limit of 16 MiB, so that its pages are written
 * back, dropped and read again. "swap": memory of no file in place of it, and
 * a swap file in FOLDER. Needs to be root, and FOLDER on a disk.
 */
#include "workload.h"

#include <sys/mount.h>
#include <sys/swap.h>

#define MiB (1L << 20)
#define PAGE 4096
#define SIZE (32 * MiB)
#define SWAP (48 * MiB)

static long events(const char *what)
{
	char name[32];
	long number, found = -1;
	FILE *file = fopen("groups/small/memory.events", "r");

	while (file && fscanf(file, "%31s %ld", name, &number) == 2)
		if (!strcmp(name, what))
			found = number;
	if (!file || fclose(file) || found < 0)
		die("memory.events");
	return found;
}

static long vm(const char *what)
{
	char name[64];
	long number, found = -1;
	FILE *file = fopen("/proc/vmstat", "r");

	while (file && fscanf(file, "%63s %ld", name, &number) == 2)
		if (!strcmp(name, what))
			found = number;
	if (!file || fclose(file) || found < 0)
		die("/proc/vmstat");
	return found;
}

static void fill(long *page, long number)
{
	int i;

	for (i = 0; i < PAGE / 8; i += 64)
		page[i] = number + i;
}

static int filled(const long *page, long number)
{
	int i;

	for (i = 0; i < PAGE / 8; i += 64)
		if (page[i] != number + i)
			return 0;
	return 1;
}

static void file_pages(void)
{
	static long page[PAGE / 8];
	int fd = new_file("pages");
	long i;

	for (i = 0; i < SIZE / PAGE; i++) {
		fill(page, i);
		if (write(fd, page, PAGE) != PAGE)
			die("write");
	}
	if (lseek(fd, 0, SEEK_SET))
		die("lseek");
	for (i = 0; i < SIZE / PAGE; i++) {
		if (read(fd, page, PAGE) != PAGE)
			die("read");
		expect(filled(page, i), "a page of the file");
	}
	if (close(fd) || unlink("pages"))
		die("unlink");
}

static void memory_pages(void)
{
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	if (memory == MAP_FAILED)
		die("mmap");
	for (i = 0; i < SIZE / PAGE; i++)
		fill((long *)(memory + i * PAGE), i);
	for (i = 0; i < SIZE / PAGE; i++)
		expect(filled((long *)(memory + i * PAGE), i), "a page");
	if (munmap(memory, SIZE))
		die("munmap");
}

/* A file with the header that mkswap gives it. */
static void make_swap(void)
{
	static char head[PAGE];
	int fd = new_file("swap"), i;

	*(int *)(head + 1024) = 1;
	*(int *)(head + 1028) = SWAP / PAGE - 1;
	memcpy(head + PAGE - 10, "SWAPSPACE2", 10);
	for (i = 0; i < SWAP / PAGE; i++) {
		if (write(fd, head, PAGE) != PAGE)
			die("swap");
		if (!i)
			memset(head, 0, PAGE);
	}
	if (fsync(fd) || close(fd) || chmod("swap", 0600) || swapon("swap", 0))
		die("swapon");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 2), hits, i;
	int swap = argc > 3 && !strcmp(argv[3], "swap");

	enter_scratch(argc, argv, 2);
	if (swap)
		make_swap();
	if (mkdir("groups", 0755) ||
	    mount("none", "groups", "cgroup2", 0, NULL))
		die("cgroup2");
	write_text("groups/cgroup.subtree_control", "+memory");
	if (mkdir("groups/small", 0755))
		die("a group");
	write_text("groups/small/memory.max", "16M");
	if (!child()) {
		write_text("groups/small/cgroup.procs", "0");
		for (i = 0; i < count; i++)
			swap ? memory_pages() : file_pages();
		_exit(0);
	}
	if (wait_all())
		return 1;
	hits = events("max");
	expect(hits > 0 && !events("oom_kill"), "reclaim, and no kill");
	if (swap) {
		expect(vm("pswpout") > 0 && vm("pswpin") > 0, "swap was used");
		if (swapoff("swap") || unlink("swap"))
			die("swapoff");
	}
	if (rmdir("groups/small") || umount("groups") || rmdir("groups"))
		die("removing");
	leave_scratch();
	printf("rounds=%ld limit_hits=%ld\n", count, hits);
	return 0;
}
