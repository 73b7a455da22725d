/* What code and comments demand of the order. */
#ifndef QUEUE_H
#define QUEUE_H

struct link {
	struct link *next, *prev;
};

struct queue {
	/* These two must be first to match struct link. */
	struct queue *next;
	struct queue *prev;

	unsigned long cold1[8];
	unsigned long hot1;
	unsigned long cold2[8];
	unsigned long hot2;
	unsigned long cold3[8];
	/* keep last */
	unsigned long hot3;
};

_Static_assert(__builtin_offsetof(struct queue, next) == 0, "");

#endif
