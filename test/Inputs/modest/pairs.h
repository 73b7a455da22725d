/* SPDX-License-Identifier: GPL-2.0-or-later */
struct pairs {
	long a;
	char cold0[120];
	long b;
	char cold1[120];
	long c;
	char cold2[120];
	long d;
};
