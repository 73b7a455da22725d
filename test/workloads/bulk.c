// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bulk N: sends N MiB over one TCP connection on loopback, half by write, half
 * by sendfile; the receiver reads as much as it gets and counts.
 */
#include "workload.h"

#include <netinet/in.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#define MiB (1L << 20)

static char buffer[MiB];

static void receiver(const struct sockaddr_in *address, long expected)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t more;
	long got = 0;

	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		die("connect");
	while ((more = read(fd, buffer, sizeof(buffer))) > 0)
		got += more;
	expect(!more && got == expected, "bytes");
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 64), i;
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd;
	int file = memfd_create("data", 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, size) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		die("listen");
	if (file < 0 || write(file, buffer, MiB) != MiB)
		die("memfd");
	if (!child())
		receiver(&address, count * MiB);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die("accept");
	for (i = 0; i < count; i++) {
		off_t at = 0;
		ssize_t more = 1;

		if (i % 2)
			while (at < MiB && more > 0)
				more = sendfile(fd, file, &at, MiB - at);
		else
			for (; at < MiB && more > 0; at += more)
				more = write(fd, buffer + at, MiB - at);
		if (more <= 0)
			die("send");
	}
	if (close(fd) || wait_all())
		return 1;
	printf("bytes=%ld\n", count * MiB);
	return 0;
}
