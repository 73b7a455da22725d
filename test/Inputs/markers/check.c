// SPDX-License-Identifier: GPL-2.0-or-later
//
// The assertions that the tool prints, in asserts.inc.
#include "store.h"

#define END(T, M) (__builtin_offsetof(T, M) + sizeof(((T *)0)->M))
#define CACHELINE_ASSERT_GROUP_MEMBER(T, G, M) \
	_Static_assert(__builtin_offsetof(T, M) >= \
		       END(T, __cacheline_group_begin__##G) && \
		       END(T, M) <= \
		       __builtin_offsetof(T, __cacheline_group_end__##G), #M)

struct store zero = { 0 };

void check(void)
{
#include "asserts.inc"
}
