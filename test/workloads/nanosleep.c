// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nanosleep THREADS SECONDS: that many threads, more than there are CPUs, sleep
 * for 20 to 1000 microseconds and work a little, again and again.
 */
#include "workload.h"

#include <pthread.h>

static double end_time;

static void *sleeper(void *argument)
{
	long *sleeps = argument;
	unsigned int state = (unsigned int)(unsigned long)argument | 1;

	while (seconds() < end_time) {
		struct timespec time = { 0 };
		int work;

		state = state * 1664525 + 1013904223;
		time.tv_nsec = 20000 + (state >> 8) % 980000;
		if (nanosleep(&time, NULL) && errno != EINTR)
			die("nanosleep");
		for (work = 0; work < 2000; work++)
			asm volatile("");
		++*sleeps;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 16), total = 0, i;
	long time = argument(argc, argv, 2, 5);
	pthread_t *threads = calloc(count, sizeof(*threads));
	long *sleeps = calloc(count, 64);

	if (!threads || !sleeps)
		die("calloc");
	end_time = seconds() + time;
	for (i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, sleeper, &sleeps[i * 8]))
			die("pthread_create");
	for (i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		total += sleeps[i * 8];
	}
	printf("threads=%ld seconds=%ld sleeps=%ld\n", count, time, total);
	return 0;
}
