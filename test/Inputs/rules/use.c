#include "queue.h"

unsigned long walk(struct queue *q)
{
	unsigned long sum = 0;

	for (; q; q = q->next)
		sum += q->hot1 + q->hot2 + q->hot3;
	return sum;
}

void cool(struct queue *q)
{
	q->cold1[0] = q->cold2[0] + q->cold3[0];
}
