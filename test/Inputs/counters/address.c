// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers that see only a pointer: to an embedded struct, to a scalar.
#include <stdio.h>

struct list {
	struct list *next, *prev;
};
struct count {
	int n;
};
struct s {
	unsigned long lock;
	struct count count;
	struct list list;
	int x;
};
struct s one;
static struct s several[3];
static struct list elsewhere;

static inline void get(struct count *c)
{
	asm volatile("lock; incl %0" : "+m"(c->n));
}

static inline void add(struct list *new, struct list *head)
{
	new->next = head->next;
	new->prev = head;
	head->next = new;
}

__attribute__((noinline)) void add_outside(struct list *new, struct list *head)
{
	new->next = head->next;
	new->prev = head;
	head->next = new;
}

static inline void set(unsigned long *p)
{
	*p |= 1;
}

int main(void)
{
	struct list local;

	for (int i = 0; i < 10; i++) {
		get(&one.count);
		add(&local, &one.list);
		set(&several[i % 3].lock);
		add_outside(&local, &several[1].list);
		add_outside(&elsewhere, &elsewhere);
		one.x++;
	}
	printf("%d\n", one.x);
	return 0;
}
