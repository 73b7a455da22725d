/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item.h"

void step(struct item *i)
{
	i->key++;
	i->hits += i->key;
	i->size ^= i->hits;
}
