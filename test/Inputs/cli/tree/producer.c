// SPDX-License-Identifier: GPL-2.0-or-later
#include "ring.h"

int ring_put(struct ring *ring, unsigned long payload)
{
	struct slot *slot;

	if (ring_used(ring) > ring->mask) {
		ring->dropped++;
		return -1;
	}
	slot = &ring->slots[ring->head & ring->mask];
	slot->payload = payload;
	slot->length = sizeof(payload);
	ring->head++;
	ring->produced++;
	if (ring->wake)
		ring->wake(ring);
	return 0;
}

int ring_fill(struct ring *ring, const unsigned long *from, int count)
{
	int done;

	for (done = 0; done < count; done++)
		if (ring_put(ring, from[done]))
			break;
	return done;
}
