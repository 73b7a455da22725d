// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pty N: types N lines into a pseudo terminal with echo and line editing, and
 * reads what a program on the other side gets, and the echo.
 */
#include "workload.h"

#include <sys/ioctl.h>
#include <termios.h>

/* The bytes that come until there are so many. */
static void read_all(int fd, char *to, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = read(fd, to + got, size - got);

		if (more <= 0)
			die("read");
		got += more;
	}
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 5000), i;
	int master = posix_openpt(O_RDWR | O_NOCTTY), other;
	struct winsize window = { .ws_row = 25, .ws_col = 80 };
	struct termios terminal;
	char text[128];

	if (master < 0 || grantpt(master) || unlockpt(master))
		die("posix_openpt");
	other = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (other < 0 || tcgetattr(other, &terminal) ||
	    ioctl(master, TIOCSWINSZ, &window))
		die("the terminal");
	terminal.c_lflag |= ICANON | ECHO | ECHOE;
	terminal.c_oflag |= OPOST | ONLCR;
	if (tcsetattr(other, TCSANOW, &terminal))
		die("tcsetattr");
	for (i = 0; i < count; i++) {
		/* The x is erased again. */
		if (write(master, "some wordx\177s\n", 13) != 13)
			die("typing");
		read_all(other, text, 11);
		expect(!memcmp(text, "some words\n", 11), "an edited line");
		read_all(master, text, 15);
		expect(!memcmp(text, "some wordx\b \bs\r\n", 15), "the echo");
		read_all(master, text, 1);
		if (write(other, "answer\n", 7) != 7)
			die("answer");
		read_all(master, text, 8);
		expect(!memcmp(text, "answer\r\n", 8), "the answer");
	}
	close(other);
	close(master);
	printf("lines=%ld\n", count);
	return 0;
}
