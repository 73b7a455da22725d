// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fork N: makes N children one after another; each exits at once.
 */
#include "workload.h"

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 2000);
	long i;

	for (i = 0; i < count; i++) {
		pid_t pid = child();

		if (!pid)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			die("waitpid");
	}
	printf("forks=%ld\n", count);
	return 0;
}
