// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * udp N: a client sends N datagrams over loopback, to an IPv4 and an IPv6
 * address in turn (IPv4 only where there is no other); a server sends each one
 * back. Every 16th has several fragments.
 */
#include "workload.h"

#include <netinet/in.h>
#include <sys/socket.h>

#define LARGE 40000

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static char buffer[LARGE];

/* -1: there is no such family, or no such address. */
static int bound(int family, union address *at, socklen_t *size)
{
	int fd = socket(family, SOCK_DGRAM, 0);

	memset(at, 0, sizeof(*at));
	at->any.sa_family = family;
	if (family == AF_INET)
		at->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		at->v6.sin6_addr = in6addr_loopback;
	*size = family == AF_INET ? sizeof(at->v4) : sizeof(at->v6);
	if (fd < 0 || bind(fd, &at->any, *size) ||
	    getsockname(fd, &at->any, size)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* Until an empty datagram. */
static void server(int fd)
{
	union address from;
	socklen_t size = sizeof(from);
	ssize_t got;

	while ((got = recvfrom(fd, buffer, LARGE, 0, &from.any, &size)) > 0) {
		if (sendto(fd, buffer, got, 0, &from.any, size) != got)
			die("sendto");
		size = sizeof(from);
	}
	_exit(got < 0);
}

int main(int argc, char **argv)
{
	static const int families[] = { AF_INET, AF_INET6 };
	long count = argument(argc, argv, 1, 5000), i;
	int clients[2], sockets = 0, f;
	union address at;
	socklen_t size;

	for (f = 0; f < 2; f++) {
		int fd = bound(families[f], &at, &size);

		if (fd < 0)
			continue;
		if (!child())
			server(fd);
		close(fd);
		clients[sockets] = socket(families[f], SOCK_DGRAM, 0);
		if (clients[sockets] < 0 ||
		    connect(clients[sockets], &at.any, size))
			die("connect");
		sockets++;
	}
	if (!sockets)
		die("a socket");
	for (i = 0; i < count; i++) {
		ssize_t length = i % 16 == 15 ? LARGE : 64;
		int fd = clients[i % sockets];

		if (send(fd, buffer, length, 0) != length ||
		    recv(fd, buffer, LARGE, 0) != length)
			die("datagram");
	}
	for (f = 0; f < sockets; f++)
		if (send(clients[f], buffer, 0, 0))
			die("send");
	if (wait_all())
		return 1;
	printf("datagrams=%ld families=%d\n", count, sockets);
	return 0;
}
