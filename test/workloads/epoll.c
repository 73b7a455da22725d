// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * epoll N: a server waits in epoll for 32 clients on socket pairs, some by
 * edge, some armed anew each time, and for an eventfd; N requests are answered.
 */
#include "workload.h"

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#define CLIENTS 32

static uint32_t kind(int i)
{
	static const uint32_t kinds[] = { EPOLLIN, EPOLLIN | EPOLLET,
					  EPOLLIN | EPOLLONESHOT };

	return kinds[i % 3];
}

static void control(int epoll, int op, int fd, int i)
{
	struct epoll_event event = { .events = kind(i), .data.u32 = i };

	if (epoll_ctl(epoll, op, fd, &event))
		die("epoll_ctl");
}

/* Until the eventfd is written to. */
static void server(int (*pairs)[2], int stop)
{
	struct epoll_event ready[8];
	int epoll = epoll_create1(EPOLL_CLOEXEC), i, n;
	uint64_t value;
	char byte;

	if (epoll < 0)
		die("epoll_create1");
	for (i = 0; i < CLIENTS; i++)
		control(epoll, EPOLL_CTL_ADD, pairs[i][0], i);
	control(epoll, EPOLL_CTL_ADD, stop, 3 * CLIENTS);
	while ((n = epoll_wait(epoll, ready, 8, -1)) > 0)
		while (n--) {
			i = ready[n].data.u32;
			if (i >= CLIENTS) {
				if (read(stop, &value, sizeof(value)) !=
				    sizeof(value))
					die("eventfd");
				_exit(0);
			}
			if (read(pairs[i][0], &byte, 1) != 1 ||
			    write(pairs[i][0], &byte, 1) != 1)
				die("answer");
			if (kind(i) & EPOLLONESHOT)
				control(epoll, EPOLL_CTL_MOD, pairs[i][0], i);
		}
	die("epoll_wait");
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 10000), sent = 0;
	int pairs[CLIENTS][2], stop = eventfd(0, EFD_CLOEXEC), i;
	uint64_t one = 1;
	char byte;

	if (stop < 0)
		die("eventfd");
	for (i = 0; i < CLIENTS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]))
			die("socketpair");
	if (!child())
		server(pairs, stop);
	while (sent < count) {
		/* All of them at once, so that one wait finds several. */
		for (i = 0; i < CLIENTS && sent + i < count; i++) {
			byte = i;
			if (write(pairs[i][1], &byte, 1) != 1)
				die("request");
		}
		for (i = 0; i < CLIENTS && sent < count; i++, sent++)
			if (read(pairs[i][1], &byte, 1) != 1 || byte != i)
				die("answer");
	}
	if (write(stop, &one, sizeof(one)) != sizeof(one))
		die("eventfd");
	if (wait_all())
		return 1;
	printf("requests=%ld\n", sent);
	return 0;
}
