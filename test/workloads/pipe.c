// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe N [one]: two processes pass a byte back and forth N times. With "one"
 * both are on one CPU, so that each round trip is two context switches.
 */
#include "workload.h"

#include <sched.h>

static void one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 20000);
	int there[2], back[2];
	char byte = 'x';
	long i;

	if (argc > 2 && !strcmp(argv[2], "one"))
		one_cpu();
	if (pipe(there) || pipe(back))
		die("pipe");
	if (!child()) {
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	for (i = 0; i < count; i++)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			die("ping-pong");
	close(there[1]);
	if (wait_all())
		return 1;
	printf("round_trips=%ld\n", count);
	return 0;
}
