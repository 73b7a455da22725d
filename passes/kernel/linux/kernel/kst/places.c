// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places: what allocated objects hold of the chosen structs, and where in
 * them. A small number names the whole, so that it fits into the shadow. There
 * are few, since objects of one kind have one place; they are never removed.
 *
 * Runs wherever code is instrumented: no locks, no calls out of here. Who does
 * not get hold of the table does without; the next access tries again.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "internal.h"

#define KST_MEMO_BITS 10

struct kst_place kst_places[KST_PLACE_TAIL];
static u32 kst_n_places = 1;
static u32 kst_places_full;
static int kst_places_busy;

/* Steps from place to place that were made before. */
static u64 kst_memo[1 << KST_MEMO_BITS];

bool kst_place_has(u32 id, u32 offset, u32 number)
{
	const struct kst_place *place = &kst_places[id];
	u32 i;

	for (i = 0; i < place->n; i++)
		if (place->parts[i].offset == offset &&
		    place->parts[i].number == number)
			return true;
	return false;
}

/* Whether a has all that b has. */
bool kst_place_covers(u32 a, u32 b)
{
	const struct kst_place *place = &kst_places[b];
	u32 i;

	for (i = 0; i < place->n; i++)
		if (!kst_place_has(a, place->parts[i].offset,
				   place->parts[i].number))
			return false;
	return true;
}

static u32 kst_place_make(u32 old, u32 offset, u32 number)
{
	struct kst_place *new = &kst_places[kst_n_places];
	u32 i;

	for (i = 1; i < kst_n_places; i++)
		if (kst_places[i].n == kst_places[old].n + 1 &&
		    kst_place_has(i, offset, number) &&
		    kst_place_covers(i, old))
			return i;
	if (kst_n_places == ARRAY_SIZE(kst_places) ||
	    kst_places[old].n == KST_PARTS) {
		kst_places_full++;
		return 0;
	}
	*new = kst_places[old];
	new->parts[new->n].offset = offset;
	new->parts[new->n].number = number;
	new->n++;
	/* Complete before its number is in the shadow. */
	smp_wmb();
	return kst_n_places++;
}

/* The place that has one part more than old; 0: there is none now. */
u32 kst_place_with(u32 old, u32 offset, u32 number)
{
	u64 key, *memo, seen;
	u32 id;

	if (offset >> 24 || number >> 16)
		return 0;
	key = (u64)old << 49 | (u64)offset << 25 | (u64)number << 9;
	memo = &kst_memo[key * 0x9e3779b97f4a7c15ULL >> (64 - KST_MEMO_BITS)];
	seen = READ_ONCE(*memo);
	if (seen && (seen ^ key) < KST_PLACES)
		return seen ^ key;
	if (arch_xchg(&kst_places_busy, 1))
		return 0;
	id = kst_place_make(old, offset, number);
	if (id)
		WRITE_ONCE(*memo, key | id);
	/* The table is as it is to be. */
	smp_store_release(&kst_places_busy, 0);
	return id;
}

u32 kst_places_lost(void)
{
	return kst_places_full;
}
