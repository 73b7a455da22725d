// SPDX-License-Identifier: GPL-2.0-or-later
#include "store.h"

unsigned long fill(struct store *s)
{
	s->put++;
	s->taken += s->put;
#ifdef WITH_LIMIT
	return s->limit - s->put;
#else
	return s->put;
#endif
}
