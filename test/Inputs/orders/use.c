// SPDX-License-Identifier: GPL-2.0-or-later
#include "item.h"

static void link(struct item *item)
{
	item->next = head;
	head->prev = item;
	head = item;
}

void mark(int i)
{
	link((struct item *)&markers[i]);
}

unsigned long find(unsigned long size)
{
	struct item *item;

	for (item = head; item; item = item->next)
		if (item->size == size && item->hits++)
			return item->hits;
	return 0;
}

struct pool *make(void)
{
	return allocate(__builtin_offsetof(struct pool, node) +
			nodes * sizeof(void *));
}

int take(struct pool *pool)
{
	return ++pool->used < pool->wanted;
}
