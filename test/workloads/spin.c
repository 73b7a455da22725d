// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin SECONDS: keeps one CPU busy in user space, so that what is counted is
 * the background of a busy CPU: ticks, and what they wake.
 */
#include "workload.h"

int main(int argc, char **argv)
{
	long time = argument(argc, argv, 1, 5);
	double end = seconds() + time;

	while (seconds() < end)
		;
	printf("seconds=%ld\n", time);
	return 0;
}
