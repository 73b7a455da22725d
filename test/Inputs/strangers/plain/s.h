// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef S_H
#define S_H
#ifndef COLD
#define COLD 120
#endif
struct s {
	unsigned long a;
	char cold[COLD];
	unsigned long d;
	char colder[120];
	unsigned long f;
};
#endif
