// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signals N: N times a process sends itself a signal that a handler takes on a
 * stack of its own, one with a value to its child, which waits for signals and
 * sends one back, and one that stays blocked and is read from a signalfd.
 */
#include "workload.h"

#include <signal.h>
#include <sys/signalfd.h>

static volatile sig_atomic_t handled;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	handled++;
}

/* Until the value is negative. */
static void answering(const sigset_t *wait)
{
	siginfo_t info;

	for (;;) {
		if (sigwaitinfo(wait, &info) != SIGRTMIN)
			die("sigwaitinfo");
		if (info.si_value.sival_int < 0)
			_exit(0);
		if (sigqueue(getppid(), SIGRTMIN, info.si_value))
			die("sigqueue");
	}
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 5000), i;
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_size = 65536, .ss_sp = malloc(65536) };
	sigset_t queued, blocked;
	struct signalfd_siginfo read_info;
	siginfo_t info;
	int fd;
	pid_t pid;

	sigemptyset(&queued);
	sigaddset(&queued, SIGRTMIN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	if (sigprocmask(SIG_BLOCK, &queued, NULL) ||
	    sigprocmask(SIG_BLOCK, &blocked, NULL) ||
	    sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		die("signals");
	fd = signalfd(-1, &blocked, SFD_CLOEXEC);
	if (fd < 0)
		die("signalfd");
	pid = child();
	if (!pid)
		answering(&queued);
	for (i = 0; i < count; i++) {
		union sigval value = { .sival_int = i };

		if (kill(getpid(), SIGUSR1) || kill(getpid(), SIGUSR2) ||
		    read(fd, &read_info, sizeof(read_info)) !=
			    sizeof(read_info))
			die("kill");
		if (sigqueue(pid, SIGRTMIN, value) ||
		    sigwaitinfo(&queued, &info) != SIGRTMIN)
			die("sigqueue");
		expect(info.si_value.sival_int == i, "a signal's value");
	}
	if (sigqueue(pid, SIGRTMIN, (union sigval){ .sival_int = -1 }))
		die("sigqueue");
	if (wait_all())
		return 1;
	expect(handled == count, "a call of the handler for each signal");
	printf("signals=%ld\n", 4 * count);
	return 0;
}
