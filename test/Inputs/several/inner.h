/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Used together, far apart, and with holes that another order fills. */
struct inner {
	unsigned char flag;
	unsigned long first;
	char gap1[120];
	unsigned char state;
	unsigned long second;
	unsigned char mode;
};
