// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree N [FOLDER]: makes a tree of 5 levels with files in FOLDER, walks it N
 * times with a stat of each entry, and removes it.
 */
#include "workload.h"

#include <ftw.h>

#define LEVELS 5
#define FOLDERS 3
#define FILES 6

static long seen, bytes;

static void make(int level)
{
	char name[32];
	int i;

	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "file-%d", i);
		int fd = new_file(name);

		if (write(fd, name, 6) != 6 || close(fd))
			die(name);
	}
	for (i = 0; level > 1 && i < FOLDERS; i++) {
		snprintf(name, sizeof(name), "folder-%d", i);
		if (mkdir(name, 0755) || chdir(name))
			die(name);
		make(level - 1);
		if (chdir(".."))
			die(name);
	}
}

static int look(const char *name, const struct stat *is, int kind,
		struct FTW *where)
{
	(void)name;
	(void)where;
	seen++;
	if (kind == FTW_F)
		bytes += is->st_size;
	return 0;
}

static int drop(const char *name, const struct stat *is, int kind,
		struct FTW *where)
{
	(void)is;
	(void)kind;
	return where->level ? remove(name) : 0;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 20), folders = 0, level, i;

	for (level = 0; level < LEVELS; level++)
		folders = folders * FOLDERS + 1;
	enter_scratch(argc, argv, 2);
	make(LEVELS);
	for (i = 0; i < count; i++)
		if (nftw(".", look, 16, FTW_PHYS))
			die("nftw");
	expect(seen == count * folders * (1 + FILES), "entries");
	expect(bytes == count * folders * FILES * 6, "bytes");
	if (nftw(".", drop, 16, FTW_PHYS | FTW_DEPTH))
		die("removing");
	leave_scratch();
	printf("walks=%ld entries=%ld\n", count, seen);
	return 0;
}
