// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the static and per-CPU objects of the chosen structs are: a table of
 * pages, hashed. It is read without a lock while it is filled, so the page of
 * an entry is written last. The shadow says where a look into it is worth
 * while.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/sections.h>

#include "internal.h"

#define KST_STATIC_GONE (~0ULL)	/* a page: removed, to be used again */

struct kst_static kst_statics[1 << KST_STATIC_BITS][KST_STATIC_WAYS]
	__aligned(64);

static unsigned int kst_lost;

static bool kst_static_add(u64 page, u64 base, u32 size, u32 number)
{
	struct kst_static *slot = kst_static_slot(page);
	unsigned int i;

	for (i = 0; i < KST_STATIC_WAYS; i++, slot++) {
		if (slot->page && slot->page != KST_STATIC_GONE)
			continue;
		slot->base = base;
		slot->size = size;
		slot->number = number;
		/* After all else: readers look at the page first. */
		smp_store_release(&slot->page, page);
		return true;
	}
	return false;
}

static void kst_static_remove(u64 page, u64 base, u32 size)
{
	struct kst_static *slot = kst_static_slot(page);
	unsigned int i;

	for (i = 0; i < KST_STATIC_WAYS; i++, slot++)
		if (slot->page == page && slot->base == base &&
		    slot->size == size)
			WRITE_ONCE(slot->page, KST_STATIC_GONE);
}

/* Adds (or else removes) the objects of one array that begins at address. */
static void kst_pages_array(const struct kst_object *object, u64 address,
			    u32 number, bool add)
{
	u32 i;

	for (i = 0; i < object->number; i++, address += object->size) {
		u64 page = address >> PAGE_SHIFT;
		u64 last = (address + object->size - 1) >> PAGE_SHIFT;
		bool found = true;

		for (; page <= last; page++) {
			if (!add)
				kst_static_remove(page, address, object->size);
			else if (!kst_static_add(page, address, object->size,
						 number))
				found = false;
		}
		if (!found)
			kst_lost++;
		/* What else has the same shadow stays; it is a hint. */
		if (add)
			kst_shadow_static(address, object->size);
	}
}

static void kst_pages_object(const struct kst_object *object, bool add)
{
	u32 number = kst_struct_number(object->name, object->size);
	unsigned int cpu;

	if (!number) {
		kst_lost++;
		return;
	}
	if (!(object->flags & KST_OBJECT_PERCPU)) {
		void *at = (void *)(uintptr_t)object->address;

		/* Freed after boot; another object can come to be there. */
		if (!init_section_contains(at, object->size))
			kst_pages_array(object, object->address, number, add);
		return;
	}
	for_each_possible_cpu(cpu)
		kst_pages_array(object, object->address + per_cpu_offset(cpu),
				number, add);
}

void kst_pages_add(const struct kst_object *objects, unsigned int n)
{
	for (; n; n--, objects++)
		kst_pages_object(objects, true);
}

void kst_pages_remove(const struct kst_object *objects, unsigned int n)
{
	for (; n; n--, objects++)
		kst_pages_object(objects, false);
}

unsigned int kst_pages_lost(void)
{
	return kst_lost + kst_places_lost();
}

/* Counts, or only looks; true: there are such objects. */
bool kst_static_hit(u64 address, u64 how, bool count)
{
	u64 page = address >> PAGE_SHIFT, part = KST_HIT_PART(how);
	const struct kst_static *slot = kst_static_slot(page);
	bool found = false;
	unsigned int i;

	for (i = 0; i < KST_STATIC_WAYS; i++, slot++) {
		/* Written last. */
		u64 there = smp_load_acquire(&slot->page);

		if (!there)
			break;
		if (there != page ||
		    address - slot->base >= slot->size || slot->size == part)
			continue;
		found = true;
		if (count)
			kst_count(slot->number, address - slot->base, how);
	}
	return found;
}
