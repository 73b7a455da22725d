/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two records that begin alike, an array of one in a list of the other; and an
 * object that ends where a variable says. */
#ifndef ITEM_H
#define ITEM_H

typedef unsigned long size_t;

struct item {
	struct item *next;
	struct item *prev;
	unsigned long time;
	unsigned long spare[9];
	unsigned long hits;
	unsigned long size;
};

struct marker {
	struct item *next;
	struct item *prev;
	unsigned long time;
	int limit;
};

struct pool {
	unsigned long used;
	unsigned long spare[9];
	unsigned long wanted;
	void *node[64];
};

extern struct marker markers[4];
extern struct item *head;
extern unsigned int nodes;
void *allocate(size_t size);
void drop(void *any);

#endif
