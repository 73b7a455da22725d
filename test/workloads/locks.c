// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * locks N: 8 threads take a plain lock, one with priority inheritance, a
 * read-write lock, and meet at a barrier, N times each; two of them hand turns
 * to each other by a condition.
 */
#include "workload.h"

#include <pthread.h>
#include <sched.h>

#define THREADS 8

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, inheriting;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static long count, sum[3], turn;

static void must(int error, const char *what)
{
	if (error) {
		errno = error;
		die(what);
	}
}

static void *work(void *number)
{
	long me = (long)number, i;

	for (i = 0; i < count; i++) {
		must(pthread_mutex_lock(&plain), "lock");
		sum[0]++;
		sched_yield(); /* others find it taken */
		must(pthread_mutex_unlock(&plain), "unlock");

		must(pthread_mutex_lock(&inheriting), "lock");
		sum[1]++;
		sched_yield();
		must(pthread_mutex_unlock(&inheriting), "unlock");

		must(i % 4 ? pthread_rwlock_rdlock(&both) :
			     pthread_rwlock_wrlock(&both),
		     "rwlock");
		sum[2] += i % 4 == 0;
		must(pthread_rwlock_unlock(&both), "rwlock");

		if (me < 2) {
			must(pthread_mutex_lock(&plain), "lock");
			while (turn % 2 != me)
				must(pthread_cond_wait(&changed, &plain),
				     "wait");
			turn++;
			must(pthread_cond_signal(&changed), "signal");
			must(pthread_mutex_unlock(&plain), "unlock");
		}
		if (i % 8 == 0)
			pthread_barrier_wait(&meeting);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t with;
	pthread_t threads[THREADS];
	long i;

	count = argument(argc, argv, 1, 500);
	must(pthread_mutexattr_init(&with), "attributes");
	must(pthread_mutexattr_setprotocol(&with, PTHREAD_PRIO_INHERIT),
	     "PTHREAD_PRIO_INHERIT");
	must(pthread_mutex_init(&inheriting, &with), "mutex");
	must(pthread_barrier_init(&meeting, NULL, THREADS), "barrier");
	for (i = 0; i < THREADS; i++)
		must(pthread_create(&threads[i], NULL, work, (void *)i),
		     "pthread_create");
	for (i = 0; i < THREADS; i++)
		must(pthread_join(threads[i], NULL), "pthread_join");
	expect(sum[0] == THREADS * count && sum[1] == THREADS * count &&
		       sum[2] == THREADS * ((count + 3) / 4) &&
		       turn == 2 * count,
	       "one thread at a time");
	printf("locks=%ld turns=%ld\n", sum[0] + sum[1], turn);
	return 0;
}
