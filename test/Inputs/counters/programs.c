// SPDX-License-Identifier: GPL-2.0-or-later
// What makes counting hard, in one program: recursion, threads, jumps out of
// calls, signals in the middle, early exit, switch, goto, bit-fields, atomics,
// inlining, loops that are unrolled, vectorised or turned into memset.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
	int a, b;
};
struct s {
	long n;
	int array[16];
	struct part part, parts[4];
	unsigned bits : 3, more : 9;
	_Atomic long shared;
	struct s *next;
};

static struct s table[8];
static struct s *volatile opaque = table;
static jmp_buf back;
static _Thread_local struct s mine;

static int recursive(struct s *p, int depth)
{
	p->n++;
	if (depth <= 0)
		return p->bits;
	p->bits += depth;
	int sum = recursive(p, depth - 1);
	if (depth & 1)
		sum += recursive(p + (depth & 1), depth / 2);
	p->more = sum;
	return sum + p->more;
}

static inline int helper(struct s *p, int i)
{
	switch (i % 5) {
	case 0:
		return p->array[i & 15]++;
	case 1:
		p->part.a = i;
		/* fall through */
	case 2:
		p->part.b++;
		break;
	case 3:
		goto out;
	default:
		p->parts[i & 3].a ^= i;
	}
	p->n--;
out:
	return p->part.b;
}

static void loops(struct s *p)
{
	for (int i = 0; i < 16; i++)
		p->array[i] = 0;
	for (int i = 0; i < 16; i++)
		p->array[i] += i;
	for (int i = 0; i < 4; i++)
		p->parts[i].b = p->parts[i].a + 1;
	while (p->part.a-- > 0)
		if (p->part.a == 3)
			break;
	for (struct s *q = p; q; q = q->next)
		q->n++;
}

static void jumps(struct s *p, int i)
{
	p->n += i;
	if (i % 3 == 0)
		longjmp(back, i + 1);
	p->part.a++;
}

static void *thread(void *argument)
{
	struct s *p = argument;
	for (int i = 0; i < 2000; i++) {
		atomic_fetch_add(&p->shared, 1);
		mine.n += helper(&mine, i);
	}
	return NULL;
}

static void handler(int number)
{
	table[7].n += number;
}

static void leave(void)
{
	table[6].n++;
	printf("%ld %ld\n", table[6].n, table[7].n);
}

static void last(struct s *p, int code)
{
	p->n = code;
	if (p->n)
		exit(code);
	p->part.a = 1;
}

int main(void)
{
	struct s *p = opaque;
	p->next = p + 1;
	atexit(leave);
	signal(SIGUSR1, handler);
	printf("%d\n", recursive(p, 12));
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += helper(p, i);
	loops(p);
	volatile int i = 0;
	setjmp(back);
	while (i < 20) {
		i++;
		opaque->part.b++;
		jumps(opaque, i);
	}
	pthread_t threads[3];
	for (int t = 0; t < 3; t++)
		pthread_create(&threads[t], NULL, thread, p);
	for (int t = 0; t < 50; t++)
		raise(SIGUSR1);
	for (int t = 0; t < 3; t++)
		pthread_join(threads[t], NULL);
	struct s copy = *p;
	p[1] = copy;
	memset(&p[2], 0, sizeof p[2]);
	printf("%d %d %ld %ld\n", sum, copy.part.b, copy.n, (long)copy.shared);
	last(p, sum & 3);
	return p->part.a;
}
