// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * idle SECONDS: sleeps, so that what is counted is the background.
 */
#include "workload.h"

int main(int argc, char **argv)
{
	long time = argument(argc, argv, 1, 5);

	sleep(time);
	printf("seconds=%ld\n", time);
	return 0;
}
