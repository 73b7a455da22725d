// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names N [FOLDER]: N times makes a file in FOLDER, gives it a second name and
 * a symbolic one, changes its mode, owner, times and size, renames it over
 * another one into a new folder, and removes all of it.
 */
#include "workload.h"

static void once(void)
{
	char target[32] = "";
	struct stat is;
	int fd = new_file("new");

	if (write(fd, "text", 4) != 4 || fchmod(fd, 0600) || ftruncate(fd, 2) ||
	    futimens(fd, NULL) || fchown(fd, getuid(), getgid()) || close(fd))
		die("new");
	if (close(new_file("old")) || mkdir("folder", 0755) ||
	    link("new", "second") || symlink("second", "symbolic"))
		die("names");
	if (readlink("symbolic", target, sizeof(target) - 1) != 6 ||
	    stat("symbolic", &is) || access("symbolic", R_OK))
		die("symbolic");
	expect(!strcmp(target, "second") && is.st_nlink == 2 && is.st_size == 2,
	       "a file of two names");
	if (rename("new", "old") || rename("old", "folder/kept"))
		die("rename");
	expect(stat("old", &is) && errno == ENOENT, "old is gone");
	if (unlink("folder/kept") || unlink("second") || unlink("symbolic") ||
	    rmdir("folder"))
		die("removing");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 2000), i;

	enter_scratch(argc, argv, 2);
	for (i = 0; i < count; i++)
		once();
	leave_scratch();
	printf("files=%ld\n", 2 * count);
	return 0;
}
