// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads on two CPUs. The worker runs its own lanes: ticks, schedules,
 * blocks and wakes, in random order. The balancer looks at all lanes without a
 * lock; every 16th time it steals a task from the busiest, runs it on a lane of
 * its own and wakes it on another lane later.
 *
 *   main MODE LANES EVENTS SCANS CPU_A CPU_B
 *
 * MODE: both; worker, balancer: one thread alone, on its CPU; pingpong: a word
 * handed back and forth, which is what one transfer of a line costs; turns: no
 * threads, EVENTS / SCANS events and then a scan, in turn, for a trace of the
 * memory accesses: a store to at_worker or at_balancer says who comes. Threads
 * go on, unmeasured, until the other has done its measured share, so that each
 * is disturbed all the time. Prints for each thread, in one line of JSON:
 * nanoseconds of CPU time and of wall time for the measured share, how often it
 * was switched out against its will, and a sum of what it saw.
 */
#define _GNU_SOURCE
#include "lane.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define TASKS_PER_LANE 3
#define PARKED 64

struct worker {
	pthread_t thread;
	uint64_t random;
	uint64_t now;
	struct task *parked[PARKED];
	struct lane *parked_from[PARKED];
	unsigned int nr_parked;
	int cpu;
	unsigned long share;	/* units of work to measure */
	uint64_t cpu_ns, wall_ns;
	long switched_out;
	uint64_t seen;
};

static atomic_int ready, finished;
static int nr_threads;
static struct domain machine;

static uint64_t next_random(struct worker *self)
{
	uint64_t x = self->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	self->random = x;
	return x >> 8;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* A lane of the worker: all but the first, which is the balancer's. */
static struct lane *own_lane(struct worker *self)
{
	return &lanes[1 + next_random(self) % (nr_lanes - 1)];
}

/* One event of the worker, on one of its lanes. */
static void one_event(struct worker *self)
{
	struct lane *lane = own_lane(self);
	struct task *task;

	self->now += TICK / 4;
	switch (next_random(self) & 7) {
	case 0:
		if (self->nr_parked == PARKED)
			break;
		task = lane_block(lane, self->now);
		if (task) {
			self->parked[self->nr_parked] = task;
			self->parked_from[self->nr_parked++] = lane;
		}
		break;
	case 1:
		if (!self->nr_parked)
			break;
		self->nr_parked--;
		lane_wake(self->parked_from[self->nr_parked],
			  self->parked[self->nr_parked], self->now);
		break;
	case 2:
	case 3:
	case 4:
		lane_tick(lane, self->now);
		break;
	default:
		lane_schedule(lane, self->now);
		break;
	}
}

/* One round of the balancer: a look at all lanes, and now and then a steal. */
static void one_scan(struct worker *self)
{
	struct lane *home = &lanes[0];
	struct lane *busiest = find_busiest(home);
	struct task *task;

	self->now += TICK;
	self->seen += busiest != 0;
	if (!busiest || next_random(self) % 16)
		return;
	task = lane_steal(busiest, self->now);
	if (!task)
		return;
	lane_enqueue(home, task, self->now);
	lane_schedule(home, self->now);
	lane_tick(home, self->now);
	task = lane_block(home, self->now);
	if (task)
		lane_wake_remote(own_lane(self), task, self->now);
}

static void wait_for_all(void)
{
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < nr_threads)
		;
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
	wait_for_all();
}

/* Before and after the measured share: the difference is its cost. */
static void take_time(struct worker *self, int sign)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	self->switched_out += sign * usage.ru_nivcsw;
	self->wall_ns += sign * clock_ns(CLOCK_MONOTONIC);
	self->cpu_ns += sign * clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void *run_worker(void *argument)
{
	struct worker *self = argument;

	start_on(self->cpu);
	for (unsigned long i = 0; i < self->share / 8; i++)
		one_event(self);
	take_time(self, -1);
	for (unsigned long i = 0; i < self->share; i++)
		one_event(self);
	take_time(self, 1);
	atomic_fetch_add(&finished, 1);
	while (atomic_load(&finished) < nr_threads)
		one_event(self);
	return 0;
}

static void *run_balancer(void *argument)
{
	struct worker *self = argument;

	start_on(self->cpu);
	for (unsigned long i = 0; i < self->share / 8; i++)
		one_scan(self);
	take_time(self, -1);
	for (unsigned long i = 0; i < self->share; i++)
		one_scan(self);
	take_time(self, 1);
	atomic_fetch_add(&finished, 1);
	while (atomic_load(&finished) < nr_threads)
		one_scan(self);
	return 0;
}

volatile int at_worker, at_balancer;

static void take_turns(struct worker *a, struct worker *b)
{
	unsigned long events = a->share / b->share;

	for (unsigned long i = 0; i < b->share; i++) {
		for (unsigned long j = 0; j < events; j++) {
			at_worker = 1;
			one_event(a);
		}
		at_balancer = 1;
		one_scan(b);
	}
}

static atomic_ulong ball;

static void *play(void *argument)
{
	struct worker *self = argument;
	unsigned long mine = self->random & 1;

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

static void add_tasks(void)
{
	unsigned int count = nr_lanes * TASKS_PER_LANE;
	struct task *tasks = aligned_alloc(64, 64ul * count);

	if (!tasks)
		exit(2);
	memset(tasks, 0, 64ul * count);
	for (unsigned int i = 0; i < count; i++) {
		struct task *task = (struct task *)((char *)tasks + 64ul * i);

		task->weight = 512 + i * 2654435761u % 1024;
		task->pinned = i % 5 == 0;
		task->background = i % 7 == 0;
		task->wants_io = i % 3 == 0;
		lane_enqueue(&lanes[i % nr_lanes], task, 0);
	}
}

static void start(struct worker *self, void *(*body)(void *))
{
	if (pthread_create(&self->thread, 0, body, self))
		exit(2);
}

/* What has happened so far, in one number: the same work, the same sum. */
static uint64_t print_sum(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr_lanes; i++) {
		struct lane *lane = &lanes[i];

		sum = sum * 31 + lane->clock_task + lane->nr_switches +
		      lane->load_sum + lane->stat_wait_time;
	}
	return sum;
}

static void print_thread(const char *name, struct worker *self, const char *end)
{
	printf("\"%s\":{\"units\":%lu,\"cpu_ns\":%lu,\"wall_ns\":%lu,"
	       "\"switched_out\":%ld,\"seen\":%lu}%s",
	       name, self->share, (unsigned long)self->cpu_ns,
	       (unsigned long)self->wall_ns, self->switched_out,
	       (unsigned long)self->seen, end);
}

int main(int argc, char **argv)
{
	static struct worker a = {.random = 88172645463325252u};
	static struct worker b = {.random = 36287273645521173u};

	if (argc != 7)
		return 2;
	nr_lanes = atoi(argv[2]);
	if (nr_lanes < 2 || nr_lanes > MAX_LANES)
		return 2;
	a.share = strtoul(argv[3], 0, 10);
	b.share = strtoul(argv[4], 0, 10);
	a.cpu = atoi(argv[5]);
	b.cpu = atoi(argv[6]);

	machine.count = nr_lanes;
	machine.interval = 32 * TICK;
	for (unsigned int i = 0; i < nr_lanes; i++)
		lane_setup(&lanes[i], i, &machine);
	add_tasks();

	if (!strcmp(argv[1], "turns")) {
		take_turns(&a, &b);
		return 0;
	}

	int with_a = strcmp(argv[1], "balancer") != 0;
	int with_b = strcmp(argv[1], "worker") != 0;
	int pingpong = !strcmp(argv[1], "pingpong");

	nr_threads = with_a + with_b;
	if (with_a)
		start(&a, pingpong ? play : run_worker);
	if (with_b)
		start(&b, pingpong ? play : run_balancer);
	if (with_a)
		pthread_join(a.thread, 0);
	if (with_b)
		pthread_join(b.thread, 0);
	printf("{\"bytes\":%zu,\"sum\":%lu,", sizeof(struct lane),
	       (unsigned long)print_sum());
	print_thread("worker", &a, ",");
	print_thread("balancer", &b, "}\n");
	return 0;
}
