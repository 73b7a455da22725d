#include "conn.h"

unsigned long walk(struct conn *c)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 1000; i++)
		sum += c->hot1 + c->hot2 + c->hot3;
	return sum;
}

unsigned long poll(struct conn *c)
{
	return reg(c, 8);
}

unsigned long count(struct peer *p)
{
	return p->kind + p->used++;
}
