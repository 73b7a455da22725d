// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring.h"

int ring_get(struct ring *ring, unsigned long *payload)
{
	if (!ring_used(ring))
		return -1;
	*payload = ring->slots[ring->tail & ring->mask].payload;
	ring->tail++;
	ring->consumed++;
	return 0;
}

unsigned long ring_drain(struct ring *ring)
{
	unsigned long sum = 0, payload;

	while (!ring_get(ring, &payload))
		sum += payload;
	return sum;
}
