// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * poll N: two processes answer each other through 64 pipes, N times in all;
 * one waits in poll for all of them, the other in select.
 */
#include "workload.h"

#include <poll.h>
#include <sys/select.h>

#define PIPES 64

/* Echoes until a pipe is closed. */
static void polling(int (*in)[2], int (*out)[2])
{
	struct pollfd all[PIPES];
	char byte;
	int i;

	for (i = 0; i < PIPES; i++) {
		all[i].fd = in[i][0];
		all[i].events = POLLIN;
	}
	while (poll(all, PIPES, 10000) > 0)
		for (i = 0; i < PIPES; i++)
			if (all[i].revents & POLLIN) {
				if (read(in[i][0], &byte, 1) != 1 ||
				    write(out[i][1], &byte, 1) != 1)
					die("echo");
			} else if (all[i].revents) {
				_exit(0);
			}
	die("poll");
}

/* The number of a pipe that has a byte. */
static int selected(int (*in)[2])
{
	fd_set set;
	int i, last = 0;

	FD_ZERO(&set);
	for (i = 0; i < PIPES; i++) {
		FD_SET(in[i][0], &set);
		if (in[i][0] > last)
			last = in[i][0];
	}
	if (select(last + 1, &set, NULL, NULL, NULL) < 1)
		die("select");
	for (i = 0; i < PIPES; i++)
		if (FD_ISSET(in[i][0], &set))
			return i;
	die("a pipe of the set");
	return 0;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 5000), i;
	int there[PIPES][2], back[PIPES][2];
	char byte;

	for (i = 0; i < PIPES; i++)
		if (pipe(there[i]) || pipe(back[i]))
			die("pipe");
	if (!child()) {
		for (i = 0; i < PIPES; i++)
			close(there[i][1]);
		polling(there, back);
	}
	for (i = 0; i < count; i++) {
		int to = i * 5 % PIPES;

		byte = i;
		if (write(there[to][1], &byte, 1) != 1)
			die("write");
		expect(selected(back) == to, "the pipe that answers");
		if (read(back[to][0], &byte, 1) != 1 || byte != (char)i)
			die("read");
	}
	for (i = 0; i < PIPES; i++)
		close(there[i][1]);
	if (wait_all())
		return 1;
	printf("round_trips=%ld\n", count);
	return 0;
}
