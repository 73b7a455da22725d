// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd N: 4 groups of 5 senders and 5 receivers, every sender sends N messages
 * of 100 bytes to each receiver of its group, over socket pairs in two groups
 * and pipes in the others: many runnable tasks.
 */
#include "workload.h"

#include <sys/socket.h>

#define GROUPS 4
#define SIDE 5
#define SIZE 100

static void receiver(int from, long count)
{
	char message[SIZE];
	size_t got = 0;

	while (got < (size_t)count * SIDE * SIZE) {
		ssize_t more = read(from, message, SIZE);

		if (more <= 0)
			die("read");
		got += more;
	}
	_exit(0);
}

static void sender(int (*to)[2], long count)
{
	static const char message[SIZE];
	long i;
	int r;

	for (i = 0; i < count; i++)
		for (r = 0; r < SIDE; r++)
			if (write(to[r][1], message, SIZE) != SIZE)
				die("write");
	_exit(0);
}

static void group(int number, long count)
{
	int to[SIDE][2], i;

	for (i = 0; i < SIDE; i++)
		if (number % 2 ? pipe(to[i]) :
				 socketpair(AF_UNIX, SOCK_STREAM, 0, to[i]))
			die("pipe");
	for (i = 0; i < SIDE; i++)
		if (!child())
			receiver(to[i][0], count);
	for (i = 0; i < SIDE; i++)
		if (!child())
			sender(to, count);
	for (i = 0; i < SIDE; i++) {
		close(to[i][0]);
		close(to[i][1]);
	}
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 200);
	int g;

	for (g = 0; g < GROUPS; g++)
		group(g, count);
	if (wait_all())
		return 1;
	printf("messages=%ld\n", count * GROUPS * SIDE * SIDE);
	return 0;
}
