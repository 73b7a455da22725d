// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ptrace N: a tracer stops its child at N system calls, before and after each,
 * reads its registers and a word of its memory, and changes one result.
 */
#include "workload.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static volatile long word = 42;

static void traced(long count)
{
	long i;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
		die("PTRACE_TRACEME");
	for (i = 0; i < count; i++)
		syscall(SYS_getppid);
	/* The tracer makes 7 of it. */
	_exit(syscall(SYS_getuid) == 7 ? 0 : 1);
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 3000), stops = 0;
	int status, inside = 0;
	pid_t pid = child();

	if (!pid)
		traced(count);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD))
		die("the first stop");
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, NULL)) {
		struct __ptrace_syscall_info info;

		if (waitpid(pid, &status, 0) != pid)
			die("waitpid");
		if (WIFEXITED(status))
			break;
		if (!WIFSTOPPED(status) ||
		    WSTOPSIG(status) != (SIGTRAP | 0x80))
			die("a stop at a call");
		stops++;
		errno = 0;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <=
			    0 ||
		    ptrace(PTRACE_PEEKDATA, pid, &word, NULL) != 42 || errno)
			die("looking");
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			inside = info.entry.nr == SYS_getuid;
		else if (inside) {
#ifdef __x86_64__
			long registers[27];
			struct iovec all = { registers, sizeof(registers) };

			if (ptrace(PTRACE_GETREGSET, pid, 1, &all))
				die("PTRACE_GETREGSET");
			registers[10] = 7; /* rax */
			if (ptrace(PTRACE_SETREGSET, pid, 1, &all))
				die("PTRACE_SETREGSET");
#endif
		}
	}
#ifdef __x86_64__
	expect(WIFEXITED(status) && !WEXITSTATUS(status), "a changed result");
#endif
	expect(stops >= 2 * count, "two stops for each call");
	printf("stops=%ld\n", stops);
	return 0;
}
