/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct with a hole on its hot line, and one inside a condition. */
#ifndef GATE_H
#define GATE_H

#define GATE_TRACE 1

typedef struct {
	unsigned long word[2];
} gate_mask_t;

struct gate {
	unsigned long key;
	int state;
	unsigned long spare[6];
	unsigned long hits;
#ifdef GATE_TRACE
	int traced;
	gate_mask_t mask;
#endif
	int limit;
};

#endif
