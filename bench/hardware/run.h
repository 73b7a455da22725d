/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload has to offer to run.c: two roles that share an array of
 * structs. One thread runs one_event() over and over, the other one_scan().
 */
#ifndef RUN_H
#define RUN_H

#include <stddef.h>
#include <stdint.h>

struct role {
	uint64_t random;	/* state of next_random() */
	uint64_t now;		/* the role's clock, which each unit advances */
	uint64_t seen;		/* of a scan: how often there was something to do */
};

static inline uint64_t next_random(struct role *self)
{
	uint64_t x = self->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	self->random = x;
	return x >> 8;
}

/* 0: count is not possible */
int set_up(unsigned int count);
void one_event(struct role *self);
void one_scan(struct role *self);
/* What has happened so far, in one number: the same work, the same sum. */
uint64_t print_sum(void);

#endif
