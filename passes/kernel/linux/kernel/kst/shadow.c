// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shadow of memory, and what instrumented code calls where it is not 0.
 *
 * Called from anywhere that is instrumented, also from NMIs and between STAC
 * and CLAC: no locks, no calls of anything else that objtool does not know.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "internal.h"

static u16 kst_nowhere;

struct kst_shadow __kst_shadow __read_mostly = { .places = &kst_nowhere };
EXPORT_SYMBOL(__kst_shadow);

u64 kst_direct_bytes __read_mostly;

/* What the compiler makes of memset and memcpy of a few bytes. */
#define KST_BYTES_IN_WORDS 128

static __always_inline void kst_count_at(u64 *counts, u64 how)
{
	/* Locked: this can be another CPU by now. */
	if (how & KST_HIT_READ)
		arch_atomic64_inc((atomic64_t *)&counts[0]);
	if (how & KST_HIT_WRITE)
		arch_atomic64_inc((atomic64_t *)&counts[1]);
}

/*
 * An access at offset to an object of that struct. Many bytes: few are loads
 * and stores of words; else each member is passed over once.
 */
notrace void kst_count(u32 number, u64 offset, u64 how)
{
	const struct kst_struct *s = kst_structs[number - 1];
	u64 *counts = s->counts[raw_smp_processor_id()];
	u64 bytes = KST_HIT_BYTES(how), end;
	u32 i;

	kst_count_at(counts + 2 * offset, how);
	if (likely(!bytes))
		return;
	end = min_t(u64, offset + bytes, s->size);
	if (bytes <= KST_BYTES_IN_WORDS) {
		for (offset += 8; offset < end; offset += 8)
			kst_count_at(counts + 2 * offset, how);
		return;
	}
	for (i = 0; i < s->n_offsets; i++)
		if (s->offsets[i] > offset && s->offsets[i] < end)
			kst_count_at(counts + 2 * s->offsets[i], how);
}

/* An object of that struct was filled with zeros by its allocation. */
notrace void kst_count_cleared(u32 number)
{
	const struct kst_struct *s = kst_structs[number - 1];
	u64 *counts = s->counts[raw_smp_processor_id()];

	arch_atomic64_inc((atomic64_t *)&counts[2 * s->size]);
}

static __always_inline u64 kst_hit(u64 address, u64 how, bool count)
{
	u64 found = 0;

	if (READ_ONCE(*kst_shadow_at(address)) == KST_PLACE_STATIC)
		found = kst_static_hit(address, how, count);
	/* One shadow can stand for several addresses. */
	return found ? found : kst_slab_hit(address, how, count);
}

static noinline void __kst_called kst_hit_any(u64 address, u64 how)
{
	kst_hit(address, how, true);
}

/*
 * Most hits are of a word in the only object of its page: nothing is called
 * for these, so that few registers are to be kept.
 */
void __kst_called __kst_hit(u64 address, u64 how)
{
	const struct kst_static *slot = kst_static_slot(address >> PAGE_SHIFT);
	const struct kst_struct *s;
	u64 offset;

	if (READ_ONCE(*kst_shadow_at(address)) != KST_PLACE_STATIC ||
	    smp_load_acquire(&slot->page) != address >> PAGE_SHIFT ||
	    READ_ONCE(slot[1].page) || KST_HIT_BYTES(how))
		goto any;
	offset = address - slot->base;
	if (offset >= slot->size || slot->size == KST_HIT_PART(how))
		goto any;
	s = kst_structs[slot->number - 1];
	kst_count_at(s->counts[raw_smp_processor_id()] + 2 * offset, how);
	return;
any:
	kst_hit_any(address, how);
}
EXPORT_SYMBOL(__kst_hit);

u64 __kst_called __kst_is_hit(u64 address, u64 how)
{
	return kst_hit(address, how, false);
}
EXPORT_SYMBOL(__kst_is_hit);

void __kst_called __kst_learn(u64 address, struct kst_type *type)
{
	/* 0: not registered yet, or no memory for its counts. */
	if (kst_direct_bytes && type->number)
		kst_slab_learn(address, type);
}
EXPORT_SYMBOL(__kst_learn);

/* An object with static storage is there. */
void kst_shadow_static(u64 address, u32 size)
{
	u64 end = address + size;

	if (!kst_direct_bytes)
		return;
	for (address &= -KST_GRANULE; address < end; address += KST_GRANULE)
		WRITE_ONCE(*kst_shadow_at(address), KST_PLACE_STATIC);
}

/* While one CPU runs. */
int __init kst_shadow_init(void)
{
	u64 granules = roundup_pow_of_two((u64)max_pfn << PAGE_SHIFT >>
					  KST_GRANULE_BITS);
	u16 *places = vzalloc(granules * sizeof(*places));

	if (!places)
		return -ENOMEM;
	WRITE_ONCE(__kst_shadow.places, places);
	/* Code reads the mask first, and then where the places are. */
	smp_store_release(&__kst_shadow.mask, granules - 1);
	kst_direct_bytes = (u64)max_pfn << PAGE_SHIFT;
	return 0;
}
