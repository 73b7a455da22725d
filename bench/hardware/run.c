// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a workload on two CPUs and takes the time.
 *
 *   main MODE COUNT EVENTS SCANS CPU_A CPU_B
 *
 * COUNT: how many structs. MODE: both: two threads, one of events, one of
 * scans; worker, scanner: one of them alone, on its CPU; pingpong: a word
 * handed back and forth, which is what one transfer of a line costs; turns: no
 * threads, EVENTS / SCANS events and then a scan, in turn, for a trace of the
 * memory accesses: a store to at_worker or at_scanner says who comes. Threads
 * go on, unmeasured, until the other has done its measured share, so that each
 * is disturbed all the time. Prints for each thread, in one line of JSON:
 * nanoseconds of CPU time and of wall time for the measured share, how often it
 * was switched out against its will, and how often its scans had a result.
 */
#define _GNU_SOURCE
#include "run.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct thread {
	struct role role;
	pthread_t handle;
	int cpu;
	unsigned long share;	/* units of work to measure */
	uint64_t cpu_ns, wall_ns;
	long switched_out;
};

static atomic_int ready, finished;
static int nr_threads;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void start_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(2);
	}
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < nr_threads)
		;
}

/* Before and after the measured share: the difference is its cost. */
static void take_time(struct thread *self, int sign)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	self->switched_out += sign * usage.ru_nivcsw;
	self->wall_ns += sign * clock_ns(CLOCK_MONOTONIC);
	self->cpu_ns += sign * clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void *run_worker(void *argument)
{
	struct thread *self = argument;

	start_on(self->cpu);
	for (unsigned long i = 0; i < self->share / 8; i++)
		one_event(&self->role);
	take_time(self, -1);
	for (unsigned long i = 0; i < self->share; i++)
		one_event(&self->role);
	take_time(self, 1);
	atomic_fetch_add(&finished, 1);
	while (atomic_load(&finished) < nr_threads)
		one_event(&self->role);
	return 0;
}

static void *run_scanner(void *argument)
{
	struct thread *self = argument;

	start_on(self->cpu);
	for (unsigned long i = 0; i < self->share / 8; i++)
		one_scan(&self->role);
	take_time(self, -1);
	for (unsigned long i = 0; i < self->share; i++)
		one_scan(&self->role);
	take_time(self, 1);
	atomic_fetch_add(&finished, 1);
	while (atomic_load(&finished) < nr_threads)
		one_scan(&self->role);
	return 0;
}

volatile int at_worker, at_scanner;

static void take_turns(struct thread *a, struct thread *b)
{
	unsigned long events = a->share / b->share;

	for (unsigned long i = 0; i < b->share; i++) {
		for (unsigned long j = 0; j < events; j++) {
			at_worker = 1;
			one_event(&a->role);
		}
		at_scanner = 1;
		one_scan(&b->role);
	}
}

static atomic_ulong ball;

static void *play(void *argument)
{
	struct thread *self = argument;
	unsigned long mine = self->role.random & 1;

	start_on(self->cpu);
	take_time(self, -1);
	for (unsigned long i = 0; i < self->share; i++) {
		while ((atomic_load(&ball) & 1) != mine)
			;
		atomic_fetch_add(&ball, 1);
	}
	take_time(self, 1);
	return 0;
}

static void start(struct thread *self, void *(*body)(void *))
{
	if (pthread_create(&self->handle, 0, body, self))
		exit(2);
}

static void print_thread(const char *name, struct thread *self, const char *end)
{
	printf("\"%s\":{\"units\":%lu,\"cpu_ns\":%lu,\"wall_ns\":%lu,"
	       "\"switched_out\":%ld,\"seen\":%lu}%s",
	       name, self->share, (unsigned long)self->cpu_ns,
	       (unsigned long)self->wall_ns, self->switched_out,
	       (unsigned long)self->role.seen, end);
}

int main(int argc, char **argv)
{
	static struct thread a = {.role = {.random = 88172645463325252u}};
	static struct thread b = {.role = {.random = 36287273645521173u}};

	if (argc != 7 || !set_up(atoi(argv[2])))
		return 2;
	a.share = strtoul(argv[3], 0, 10);
	b.share = strtoul(argv[4], 0, 10);
	a.cpu = atoi(argv[5]);
	b.cpu = atoi(argv[6]);

	if (!strcmp(argv[1], "turns")) {
		take_turns(&a, &b);
		return 0;
	}

	int with_a = strcmp(argv[1], "scanner") != 0;
	int with_b = strcmp(argv[1], "worker") != 0;
	int pingpong = !strcmp(argv[1], "pingpong");

	nr_threads = with_a + with_b;
	if (with_a)
		start(&a, pingpong ? play : run_worker);
	if (with_b)
		start(&b, pingpong ? play : run_scanner);
	if (with_a)
		pthread_join(a.handle, 0);
	if (with_b)
		pthread_join(b.handle, 0);
	printf("{\"sum\":%lu,", (unsigned long)print_sum());
	print_thread("worker", &a, ",");
	print_thread("scanner", &b, "}\n");
	return 0;
}
