// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * yield N: calls sched_yield() N times.
 */
#include "workload.h"

#include <sched.h>

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 50000);
	long i;

	for (i = 0; i < count; i++)
		if (sched_yield())
			die("sched_yield");
	printf("yields=%ld\n", count);
	return 0;
}
