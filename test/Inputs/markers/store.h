/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef WITH_CACHE_H
#include "cache.h"
#endif

struct store {
	unsigned long name;
	char gap0[200];

	/* where the next one goes */
	unsigned long put;
	char gap1[200];
#ifdef WITH_LIMIT
	unsigned long limit;
#endif
	char gap2[200];
	unsigned long taken;	/* by readers */
	char gap3[200];
	unsigned long rare;
};
