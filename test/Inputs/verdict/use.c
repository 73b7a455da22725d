// SPDX-License-Identifier: GPL-2.0-or-later
#include "structs.h"

unsigned long advance(struct good *g)
{
	g->head++;
	g->seen += g->head - g->tail;
	return g->head & g->mask;
}

void reopen(struct good *g)
{
	g->opened++;
	g->closed = g->opened;
}

void count(struct one_hot *o)
{
	o->count++;
}

unsigned long sum(struct bad *b)
{
	return b->first + b->second + b->third;
}

unsigned long size(struct untouched *u)
{
	return sizeof(*u);
}
