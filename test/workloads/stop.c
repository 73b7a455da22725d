// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stop GROUPS SECONDS: each group is a process that pauses, one that sends
 * SIGSTOP and SIGCONT to it, and their parent in waitpid() for both changes of
 * state.
 */
#include "workload.h"

#include <signal.h>

struct counts {
	long stops;
	long continues;
	long pairs;
};

static void sender(pid_t target, struct counts *counts, double end)
{
	while (seconds() < end) {
		if (kill(target, SIGSTOP))
			die("SIGSTOP");
		usleep(100);
		if (kill(target, SIGCONT))
			die("SIGCONT");
		usleep(100);
		counts->pairs++;
	}
	_exit(0);
}

static void group(struct counts *counts, double end)
{
	pid_t target = child(), from, changed;
	int status;

	if (!target)
		for (;;)
			pause();
	from = child();
	if (!from)
		sender(target, counts, end);
	while ((changed = waitpid(-1, &status, WUNTRACED | WCONTINUED)) > 0) {
		if (changed == from)
			break;
		if (WIFSTOPPED(status))
			counts->stops++;
		else if (WIFCONTINUED(status))
			counts->continues++;
	}
	kill(target, SIGKILL);
	wait_all();
	_exit(status != 0);
}

int main(int argc, char **argv)
{
	long groups = argument(argc, argv, 1, 4), i;
	long time = argument(argc, argv, 2, 5);
	struct counts *counts = shared(groups * sizeof(*counts)), sum = { 0 };
	double end = seconds() + time;

	for (i = 0; i < groups; i++)
		if (!child())
			group(&counts[i], end);
	if (wait_all())
		return 1;
	for (i = 0; i < groups; i++) {
		sum.stops += counts[i].stops;
		sum.continues += counts[i].continues;
		sum.pairs += counts[i].pairs;
	}
	printf("groups=%ld seconds=%ld pairs=%ld stops_seen=%ld continues_seen=%ld\n",
	       groups, time, sum.pairs, sum.stops, sum.continues);
	return 0;
}
