// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timers N: N expirations each of a POSIX timer whose signal is waited for, of
 * a periodic timerfd, and of setitimer, every millisecond or two. 64 more timers
 * are armed anew all the time and never
 * expire.
 */
#include "workload.h"

#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#define NEVER 64
#define MILLISECOND 1000000

static const struct itimerspec period = { { 0, MILLISECOND },
					  { 0, 2 * MILLISECOND } };

static timer_t timer(int signal)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = signal };
	timer_t made;

	if (timer_create(CLOCK_MONOTONIC, &event, &made))
		die("timer_create");
	return made;
}

static void set(timer_t which, const struct itimerspec *to)
{
	if (timer_settime(which, 0, to, NULL))
		die("timer_settime");
}

int main(int argc, char **argv)
{
	const struct itimerspec hour = { { 0, 0 }, { 3600, 0 } }, off = { 0 };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	const struct itimerval stopped = { 0 };
	long count = argument(argc, argv, 1, 500), expired = 0, i, j;
	timer_t never[NEVER], waited;
	sigset_t set_of, alarm_of;
	uint64_t times;
	int fd;

	sigemptyset(&set_of);
	sigaddset(&set_of, SIGUSR1);
	sigemptyset(&alarm_of);
	sigaddset(&alarm_of, SIGALRM);
	if (sigprocmask(SIG_BLOCK, &set_of, NULL) ||
	    sigprocmask(SIG_BLOCK, &alarm_of, NULL))
		die("sigprocmask");
	for (i = 0; i < NEVER; i++)
		never[i] = timer(SIGKILL);
	waited = timer(SIGUSR1);
	fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
	if (fd < 0 || timerfd_settime(fd, 0, &period, NULL))
		die("timerfd");
	set(waited, &period);
	if (setitimer(ITIMER_REAL, &often, NULL))
		die("setitimer");
	for (i = 0; i < count; i++) {
		for (j = 0; j < NEVER; j++)
			set(never[j], &hour);
		if (sigwaitinfo(&set_of, NULL) != SIGUSR1 ||
		    sigwaitinfo(&alarm_of, NULL) != SIGALRM)
			die("sigwaitinfo");
		if (read(fd, &times, sizeof(times)) != sizeof(times))
			die("timerfd");
		expired += times;
	}
	if (setitimer(ITIMER_REAL, &stopped, NULL))
		die("setitimer");
	set(waited, &off);
	for (i = 0; i < NEVER; i++)
		if (timer_delete(never[i]))
			die("timer_delete");
	expect(expired >= count, "expirations");
	printf("rounds=%ld timerfd=%ld\n", count, expired);
	return 0;
}
