// SPDX-License-Identifier: GPL-2.0-or-later
#include "gate.h"

int gate_pass(struct gate *gate, unsigned long key)
{
	return gate->key == key && gate->state;
}

void gate_hit(struct gate *gate)
{
	if (gate->hits < gate->limit)
		gate->hits++;
}
