/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inner.h"

struct early {
	unsigned long first;
	char gap1[120];
	unsigned long second;
	char gap2[120];
	unsigned long third;
};

/* Holds one that is reordered too. */
struct outer {
	unsigned long head;
	char gap1[120];
	struct inner in;
	unsigned long tail;
	char gap2[120];
	unsigned long mask;
};

struct settled {
	unsigned long a, b;
};
