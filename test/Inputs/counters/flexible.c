// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays without a length: every element counts at the start of the array.
#include <stdlib.h>

struct tail {
	int a;
	long pad;
	int arr[];
};
struct padded {
	long a;
	char c;
	char name[];
};
struct pair {
	long x, y;
};
struct pairs {
	long n;
	struct pair of[];
};

__attribute__((noinline)) void fill(struct tail *t, struct padded *p,
				    struct pairs *q, int i)
{
	int *from = t->arr;

	t->arr[0] = i;
	t->arr[1] = i;
	t->arr[i] = i;
	p->name[20] = 1;
	p->name[i] = 1;
	q->of[i].y = 1;
	q->of[2].x = from[i];
}

int main(void)
{
	struct tail *t = calloc(1, 200);
	struct padded *p = calloc(1, 200);
	struct pairs *q = calloc(1, 400);

	for (int i = 0; i < 10; i++)
		fill(t, p, q, i);
	return 0;
}
