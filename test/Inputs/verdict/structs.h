/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is used together lies together already. */
struct good {
	unsigned long head, tail, mask, seen;
	char gap1[120];
	unsigned long opened, closed;
};

struct one_hot {
	char gap1[120];
	unsigned long count;
	char gap2[120];
};

struct untouched {
	unsigned long a;
	char gap1[120];
	unsigned long b;
};

/* Used together, far apart. */
struct bad {
	unsigned long first;
	char gap1[120];
	unsigned long second;
	char gap2[120];
	unsigned long third;
};
