// SPDX-License-Identifier: GPL-2.0-or-later
#include "outer.h"

unsigned long early(struct early *e)
{
	return e->first + e->second + e->third;
}

unsigned long outer(struct outer *o)
{
	return o->head + o->tail + o->mask;
}

unsigned long inner(struct inner *i)
{
	return i->flag + i->first + i->state + i->second + i->mode;
}

unsigned long settled(struct settled *s)
{
	return s->a + s->b;
}
