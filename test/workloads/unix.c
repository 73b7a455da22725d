// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unix N [FOLDER]: N times connects to a server by a socket's name in FOLDER,
 * passes it the end of a pipe (SCM_RIGHTS), and reads from the pipe what the
 * server wrote there.
 */
#include "workload.h"

#include <sys/socket.h>
#include <sys/un.h>

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void pass(int socket, int fd)
{
	char byte = 'x';
	union control with = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &with,
				  .msg_controllen = sizeof(with) };

	with.head.cmsg_level = SOL_SOCKET;
	with.head.cmsg_type = SCM_RIGHTS;
	with.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&with.head), &fd, sizeof(fd));
	if (sendmsg(socket, &message, 0) != 1)
		die("sendmsg");
}

/* -1: the other side ends the service. */
static int passed(int socket)
{
	char byte;
	int fd;
	union control with = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &with,
				  .msg_controllen = sizeof(with) };

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1)
		die("recvmsg");
	if (with.head.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&with.head), sizeof(fd));
	return fd;
}

static void server(int listener)
{
	for (;;) {
		int client = accept(listener, NULL, NULL), fd;

		if (client < 0)
			die("accept");
		fd = passed(client);
		if (fd < 0)
			_exit(0);
		if (write(fd, "answer", 6) != 6 || close(fd) || close(client))
			die("answer");
	}
}

static int connected(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)name, sizeof(*name)))
		die("connect");
	return fd;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 3000), i;
	struct sockaddr_un name = { AF_UNIX, "socket" };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	char answer[8];

	enter_scratch(argc, argv, 2);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&name, sizeof(name)) ||
	    listen(listener, 8))
		die("listen");
	if (!child())
		server(listener);
	for (i = 0; i < count; i++) {
		int there = connected(&name), ends[2];

		if (pipe(ends))
			die("pipe");
		pass(there, ends[1]);
		close(ends[1]);
		if (read(ends[0], answer, sizeof(answer)) != 6)
			die("answer");
		close(ends[0]);
		close(there);
	}
	if (write(connected(&name), "x", 1) != 1)
		die("end");
	if (wait_all() || unlink("socket"))
		return 1;
	leave_scratch();
	printf("connections=%ld\n", count);
	return 0;
}
