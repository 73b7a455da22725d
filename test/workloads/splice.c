// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * splice N [FOLDER]: N times moves 64 KiB from file to file in FOLDER by each
 * of readv and writev, sendfile, splice through a pipe with a tee beside,
 * vmsplice, and copy_file_range.
 */
#include "workload.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

#define SIZE 65536
#define PIECES 16

static char from[SIZE], to[SIZE];

static void vectors(int in, int out)
{
	struct iovec pieces[PIECES];
	int i;

	for (i = 0; i < PIECES; i++)
		pieces[i] = (struct iovec){ to + i * (SIZE / PIECES),
					    SIZE / PIECES };
	if (preadv(in, pieces, PIECES, 0) != SIZE ||
	    pwritev(out, pieces, PIECES, 0) != SIZE)
		die("preadv and pwritev");
}

static void send_file(int in, int out)
{
	off_t at = 0;

	if (lseek(out, 0, SEEK_SET))
		die("lseek");
	while (at < SIZE)
		if (sendfile(out, in, &at, SIZE - at) <= 0)
			die("sendfile");
}

static void through_pipe(int in, int out, int nothing)
{
	off_t read_at = 0, write_at = 0;
	int ends[2], beside[2];

	if (pipe(ends) || pipe(beside))
		die("pipe");
	while (write_at < SIZE) {
		ssize_t n = splice(in, &read_at, ends[1], NULL, SIZE / 4, 0);

		if (n <= 0 || tee(ends[0], beside[1], n, 0) != n ||
		    splice(ends[0], NULL, out, &write_at, n, 0) != n ||
		    splice(beside[0], NULL, nothing, NULL, n, 0) != n)
			die("splice");
	}
	close(ends[0]);
	close(ends[1]);
	close(beside[0]);
	close(beside[1]);
}

static void memory(int out)
{
	struct iovec piece = { from, SIZE / 2 };
	off_t at = 0;
	int ends[2];

	if (pipe(ends))
		die("pipe");
	for (; at < SIZE; piece.iov_base = from + SIZE / 2)
		if (vmsplice(ends[1], &piece, 1, 0) != SIZE / 2 ||
		    splice(ends[0], NULL, out, &at, SIZE / 2, 0) != SIZE / 2)
			die("vmsplice");
	close(ends[0]);
	close(ends[1]);
}

static void copy(int in, int out)
{
	off_t read_at = 0, write_at = 0;

	while (read_at < SIZE)
		if (copy_file_range(in, &read_at, out, &write_at,
				    SIZE - read_at, 0) <= 0)
			die("copy_file_range");
}

/* Whether the file is as it should be; it is empty afterwards. */
static void check(int out, const char *what)
{
	memset(to, 0, SIZE);
	if (pread(out, to, SIZE, 0) != SIZE || ftruncate(out, 0))
		die(what);
	expect(!memcmp(from, to, SIZE), what);
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 200), i;
	int in, out, nothing = open("/dev/null", O_WRONLY);

	enter_scratch(argc, argv, 2);
	in = new_file("in");
	out = new_file("out");
	for (i = 0; i < SIZE; i++)
		from[i] = i * 31 >> 3;
	if (nothing < 0 || write(in, from, SIZE) != SIZE)
		die("in");
	for (i = 0; i < count; i++) {
		vectors(in, out);
		check(out, "readv and writev");
		send_file(in, out);
		check(out, "sendfile");
		through_pipe(in, out, nothing);
		check(out, "splice");
		memory(out);
		check(out, "vmsplice");
		copy(in, out);
		check(out, "copy_file_range");
	}
	if (close(in) || close(out) || unlink("in") || unlink("out"))
		die("removing");
	leave_scratch();
	printf("copies=%ld\n", 5 * count);
	return 0;
}
