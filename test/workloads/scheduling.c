// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scheduling N: N times changes policy, priority, nice value and CPUs of itself
 * and of 4 busy children, and checks what the kernel says of them; SCHED_FIFO,
 * SCHED_RR and SCHED_BATCH beside the normal one. Needs to be root.
 */
#include "workload.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#define CHILDREN 4

static const int policies[] = { SCHED_OTHER, SCHED_BATCH, SCHED_FIFO,
				SCHED_RR, SCHED_IDLE };

static void change(pid_t pid, long round)
{
	int policy = policies[round % 5], cpus = sysconf(_SC_NPROCESSORS_CONF);
	int real_time = policy == SCHED_FIFO || policy == SCHED_RR;
	struct sched_param param = {
		.sched_priority = real_time ? 1 + round % 50 : 0
	};
	struct timespec interval;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(round % cpus, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) ||
	    sched_setscheduler(pid, policy, &param) ||
	    setpriority(PRIO_PROCESS, pid, round % 20))
		die("changing");
	if (sched_getaffinity(pid, sizeof(set), &set) ||
	    sched_rr_get_interval(pid, &interval))
		die("asking");
	expect(sched_getscheduler(pid) == policy && CPU_COUNT(&set) == 1 &&
		       getpriority(PRIO_PROCESS, pid) == round % 20,
	       "the policy that was set");
}

int main(int argc, char **argv)
{
	const struct timespec wait = { .tv_nsec = 1000000 };
	long count = argument(argc, argv, 1, 300), i;
	pid_t children[CHILDREN];

	for (i = 0; i < CHILDREN; i++) {
		children[i] = child();
		while (!children[i])
			/* Under SCHED_FIFO, too, it leaves time to others. */
			if (clock() % 1000 > 900)
				nanosleep(&wait, NULL);
	}
	for (i = 0; i < count; i++) {
		change(0, i);
		change(children[i % CHILDREN], i / CHILDREN);
		nanosleep(&wait, NULL);
	}
	for (i = 0; i < CHILDREN; i++)
		if (kill(children[i], SIGKILL) ||
		    waitpid(children[i], NULL, 0) < 0)
			die("kill");
	printf("changes=%ld\n", 2 * count);
	return 0;
}
