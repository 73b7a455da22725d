// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * window COMMAND...: runs the command between sethostname, with the name that
 * there is, and setdomainname: the kernel's functions for these two, which
 * nobody else calls, tell a recorder when it begins and ends. Exit code: that
 * of the command. Needs to be root.
 */
#include "workload.h"

#include <sys/utsname.h>

int main(int argc, char **argv)
{
	struct utsname names;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: window COMMAND...\n");
		return 2;
	}
	if (uname(&names) || sethostname(names.nodename, strlen(names.nodename)))
		die("sethostname");
	pid = child();
	if (!pid) {
		execvp(argv[1], argv + 1);
		die(argv[1]);
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (setdomainname(names.domainname, strlen(names.domainname)))
		die("setdomainname");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
