// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe N [one | fifo]: two processes pass a byte back and forth N times. "one":
 * both on one CPU, so that each round trip is at least two context switches;
 * "fifo": on one CPU under SCHED_FIFO, where the tick preempts nobody, so that
 * it is two.
 */
#include "workload.h"

#include <sched.h>

static void one_cpu(int fifo)
{
	struct sched_param priority = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	if (fifo && sched_setscheduler(0, SCHED_FIFO, &priority))
		die("sched_setscheduler");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 20000);
	int there[2], back[2];
	char byte = 'x';
	long i;

	if (argc > 2)
		one_cpu(!strcmp(argv[2], "fifo"));
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
