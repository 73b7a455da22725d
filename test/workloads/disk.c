// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disk N [FOLDER]: a small database's work on files in FOLDER: N times appends
 * to a log and makes it durable, writes some of 256 pages in place, reads
 * others; sometimes begins a new log under the old one's name, makes holes,
 * and allocates ahead.
 */
#include "workload.h"

#define PAGE 4096
#define PAGES 256

static char page[PAGE];

/* A name that is there, or the new one, whenever the power fails. */
static int new_log(int log)
{
	int folder = open(".", O_RDONLY | O_DIRECTORY), fresh = new_file("new");

	if (fallocate(fresh, FALLOC_FL_KEEP_SIZE, 0, 16 * PAGE))
		die("fallocate");
	if (folder < 0 || fsync(fresh) || rename("new", "log") ||
	    fsync(folder) || close(folder) || close(log))
		die("a new log");
	return fresh;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 400), appended = 0, i;
	int data, log, direct;
	struct stat is;

	enter_scratch(argc, argv, 2);
	data = new_file("data");
	log = new_file("log");
	for (i = 0; i < PAGES; i++) {
		memset(page, i, PAGE);
		if (write(data, page, PAGE) != PAGE)
			die("data");
	}
	for (i = 0; i < count; i++) {
		long write_to = i * 7 % PAGES, read_from = i * 13 % PAGES;

		if (write(log, page, 100 + i % 400) != 100 + i % 400 ||
		    fdatasync(log))
			die("log");
		appended += 100 + i % 400;
		memset(page, write_to, PAGE);
		if (pwrite(data, page, PAGE, write_to * PAGE) != PAGE ||
		    pread(data, page, PAGE, read_from * PAGE) != PAGE)
			die("data");
		expect(page[PAGE - 1] == (char)read_from, "a page's bytes");
		if (i % 50 == 49) {
			if (fstat(log, &is) || fsync(data) ||
			    posix_fadvise(data, 0, 0, POSIX_FADV_DONTNEED))
				die("fsync");
			expect(is.st_size == appended, "the log's size");
			log = new_log(log);
			appended = 0;
		}
	}
	direct = open("data", O_RDONLY | O_DIRECT);
	if (direct >= 0) {
		char *aligned = aligned_alloc(PAGE, PAGE);

		for (i = 0; i < PAGES; i++) {
			if (read(direct, aligned, PAGE) != PAGE)
				die("O_DIRECT");
			expect(*aligned == (char)i, "a page on the disk");
		}
		close(direct);
	}
	if (fallocate(data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      10 * PAGE, 20 * PAGE) ||
	    pread(data, page, PAGE, 15 * PAGE) != PAGE)
		die("a hole");
	expect(!page[0] && !page[PAGE - 1], "a hole reads as zeros");
	if (ftruncate(data, PAGE) || close(data) || close(log) ||
	    unlink("data") || unlink("log"))
		die("removing");
	leave_scratch();
	printf("commits=%ld direct=%d\n", count, direct >= 0);
	return 0;
}
