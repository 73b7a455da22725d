// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads N: makes N threads, 16 at a time, each of which writes to its stack,
 * allocates, and ends; every fourth is detached.
 */
#include "workload.h"

#include <pthread.h>
#include <semaphore.h>

#define TOGETHER 16

static long ran;
static sem_t detached_end;

static void *body(void *end)
{
	char *memory = malloc(200000); /* by mmap */

	if (!memory)
		die("malloc");
	memset(memory, 1, 200000);
	free(memory);
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
	if (end)
		sem_post(end);
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 1000), i, j;
	pthread_attr_t detached;

	if (sem_init(&detached_end, 0, 0) || pthread_attr_init(&detached) ||
	    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED))
		die("attributes");
	for (i = 0; i < count; i += TOGETHER) {
		long now = count - i < TOGETHER ? count - i : TOGETHER;
		pthread_t made[TOGETHER];

		for (j = 0; j < now; j++) {
			int alone = j % 4 == 3;

			errno = pthread_create(&made[j],
					       alone ? &detached : NULL, body,
					       alone ? &detached_end : NULL);
			if (errno)
				die("pthread_create");
		}
		for (j = 0; j < now; j++)
			if (j % 4 == 3 ? sem_wait(&detached_end) :
					 pthread_join(made[j], NULL))
				die("join");
	}
	expect(ran == count, "each thread ran");
	printf("threads=%ld\n", ran);
	return 0;
}
