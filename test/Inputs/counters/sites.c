// SPDX-License-Identifier: GPL-2.0-or-later
// One access of each kind; what a line is about is what the test expects of it.
#include <string.h>

struct inner {
	int a, b;
};
struct s {
	unsigned long first;
	int array[4];
	struct inner in[3];
	struct inner one;
	union {
		int small;
		long large;
	};
	volatile int loud;
	_Atomic int shared;
	char tail[];
};

struct s global, *chosen;
struct s several[2];
static int other;
void take(void *);
void keep(int *);

long plain(struct s *p, int i)
{
	p->first = 1;
	p->array[2] = 2;
	p->array[i] = 3;
	p->in[1].b = 4;
	p->in[i].b = 5;
	p->one.a = 6;
	p->small = 7;
	p->large = 8;
	return p->first;
}

void objects(int i)
{
	global.one.b = 1;
	several[1].first = 2;
	several[i].one.b = 3;
	chosen->loud = 4;
	struct s local;
	local.first = 5;
	take(&local);
}

void other_name(struct s *p)
{
	struct inner *in = &p->one;
	in->a = 1;
	struct inner *moving = p->in;
	for (; moving != p->in + 3; ++moving)
		moving->a = 2;
}

int qualified(struct s *p)
{
	p->loud = 1;
	p->shared++;
	return p->shared;
}

void whole(struct s *p, struct s *q, unsigned long n)
{
	*p = *q;
	memset(&p->one, 0, sizeof p->one);
	memcpy(p->array, q->array, n);
	p->first = q->first;
	memset(&p->tail, 0, n);
}

int *handed(struct s *p)
{
	take(&p->one);
	keep(&p->one.b);
	chosen = p;
	return &p->array[1];
}

int none(int *p)
{
	other = *p;
	return other;
}
