// SPDX-License-Identifier: GPL-2.0-or-later
// A program in two versions, and another one with a struct of the same name.
#include <stdlib.h>

#if defined(OTHER)
struct conn {
	double x, y;
};
double length(struct conn *c)
{
	return c->x + c->y;
}
int main(void)
{
	return 0;
}
#else

#if defined(THEN)
struct conn {
	int fd;
	long bytes;
	struct conn *next;
	short state;
	long errors;
	long gone;
};
#else
struct conn {
	int fd;
	long fresh;
	struct conn *next;
	short state;
	long errors;
	__int128 bytes;
};

static int helper(int n)
{
	return n + 1;
}
#endif

static struct conn *list;

static __attribute__((noinline)) void add(struct conn *c, int fd)
{
	c->fd = fd;
	c->next = list;
#if defined(THEN)
	c->gone = fd;
#else
	c->fresh = helper(fd);
#endif
	list = c;
}

static __attribute__((noinline)) long step(struct conn *c, long n)
{
	if (c->state == 3) {
		c->errors++;
		return -1;
	}
	c->bytes += n;
	return c->bytes;
}

int main(void)
{
	long sum = 0;
	for (int i = 0; i < 100; i++)
		add(calloc(1, sizeof(struct conn)), i);
	for (int r = 0; r < 50; r++)
		for (struct conn *c = list; c; c = c->next)
			sum += step(c, r);
	return sum == 1;
}
#endif
