// SPDX-License-Identifier: GPL-2.0-or-later
// What follows a struct in memory is no element of an array of it.
#include <stdlib.h>
struct head {
	unsigned kind : 4, state : 4;
	int users;
	void *data;
};
struct tail {
	unsigned char len, room;
	char text[];
};
struct base {
	int id;
};
struct derived {
	struct base b;
	int more;
};
struct room {
	char bytes[32];
};

__attribute__((noinline)) struct head *make(int n)
{
	struct head *h = malloc(sizeof(struct head) + sizeof(struct tail) + n);
	struct tail *t = (void *)(h + 1);
	h->users = 1;
	t->len = n;
	t->room = n;
	return h;
}

__attribute__((noinline)) int elements(struct head *h, struct derived *d, struct room *r)
{
	struct base *first = (struct base *)(d + 1);
	struct tail *stored = (struct tail *)(r + 1);
	h[1].users = 2;
	h[1].state = 3;
	first->id = 4;
	stored->room = 5;
	return h[1].users;
}

int main(void)
{
	static struct head heads[2];
	static struct derived derived[2];
	static struct room rooms[2];
	free(make(8));
	return elements(heads, derived, rooms) != 2;
}
