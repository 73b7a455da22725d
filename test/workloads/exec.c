// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exec N: N times runs this program anew in a child, made by fork or by
 * posix_spawn in turn, which ends with an exit code that was given to it.
 */
#include "workload.h"

#include <spawn.h>

extern char **environ;

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 500), i;

	if (argc > 2 && !strcmp(argv[2], "child"))
		return count;
	for (i = 0; i < count; i++) {
		char code[8], *words[] = { argv[0], code, "child", NULL };
		int status, expected = 1 + i % 100;
		pid_t pid;

		snprintf(code, sizeof(code), "%d", expected);
		if (i % 2) {
			pid = child();
			if (!pid) {
				execv("/proc/self/exe", words);
				_exit(127);
			}
		} else if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL,
				       words, environ)) {
			die("posix_spawn");
		}
		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		expect(WIFEXITED(status) && WEXITSTATUS(status) == expected,
		       "exit code");
	}
	printf("execs=%ld\n", count);
	return 0;
}
