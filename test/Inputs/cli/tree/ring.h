/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring between one producer and one consumer: what the CLI tests analyse. */
#ifndef RING_H
#define RING_H

struct slot {
	unsigned long payload;
	unsigned int length;
	unsigned int flags;
};

struct ring {
	unsigned long head;
	unsigned long reserved[6];
	unsigned long tail;
	unsigned int mask;
	unsigned int dropped;
	struct slot *slots;
	unsigned long produced;
	unsigned long consumed;
	void (*wake)(struct ring *ring);
};

int ring_put(struct ring *ring, unsigned long payload);
int ring_get(struct ring *ring, unsigned long *payload);

static inline unsigned long ring_used(const struct ring *ring)
{
	return ring->head - ring->tail;
}

#endif
