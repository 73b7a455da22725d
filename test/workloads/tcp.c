// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tcp N: a client sends N requests of 128 bytes over loopback, one connection
 * for each 100 of them; a server that waits in epoll answers with 512 bytes.
 */
#include "workload.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define REQUEST 128
#define RESPONSE 512
#define REQUESTS_PER_CONNECTION 100

static void no_delay(int fd)
{
	int one = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("TCP_NODELAY");
}

/* 1: all of it was read; 0: the other side closed before the first byte. */
static int read_all(int fd, char *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = read(fd, to + got, size - got);

		if (more < 0)
			die("read");
		if (!more)
			return 0;
		got += more;
	}
	return 1;
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
}

/* Runs until it is killed. */
static void server(int listener)
{
	int epoll = epoll_create1(0);
	static char buffer[RESPONSE];
	struct epoll_event event;

	if (epoll < 0)
		die("epoll_create1");
	watch(epoll, listener);
	while (epoll_wait(epoll, &event, 1, -1) == 1) {
		int fd = event.data.fd;

		if (fd == listener) {
			fd = accept(listener, NULL, NULL);
			if (fd < 0)
				die("accept");
			no_delay(fd);
			watch(epoll, fd);
		} else if (!read_all(fd, buffer, REQUEST)) {
			close(fd);
		} else if (write(fd, buffer, RESPONSE) != RESPONSE) {
			die("write");
		}
	}
	die("epoll_wait");
}

static int connection(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		die("connect");
	no_delay(fd);
	return fd;
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 5000), connections = 0, i;
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	static char buffer[RESPONSE];
	int listener, fd = -1;
	pid_t pid;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, size) ||
	    listen(listener, 16) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		die("listen");
	pid = child();
	if (!pid)
		server(listener);
	for (i = 0; i < count; i++) {
		if (i % REQUESTS_PER_CONNECTION == 0) {
			if (fd >= 0)
				close(fd);
			fd = connection(&address);
			connections++;
		}
		if (write(fd, buffer, REQUEST) != REQUEST ||
		    !read_all(fd, buffer, RESPONSE))
			die("request");
	}
	close(fd);
	if (kill(pid, SIGKILL) || waitpid(pid, NULL, 0) != pid)
		die("server");
	printf("requests=%ld connections=%ld\n", count, connections);
	return 0;
}
