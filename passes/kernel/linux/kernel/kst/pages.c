// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the static and per-CPU objects of the chosen structs are, for accesses
 * that only their address tells: the table that instrumented code looks pages
 * up in. It is read without a lock while it is filled, so the page of an entry
 * is written last.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <asm/sections.h>

#include "internal.h"

struct kst_page __kst_pages[(1 << KST_PAGE_BITS) * KST_PAGE_WAYS]
	__aligned(64);
EXPORT_SYMBOL(__kst_pages);

static unsigned int kst_lost;

static bool kst_page_add(u64 page, u64 base, const struct kst_object *object,
			 u32 cpu)
{
	struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
	unsigned int i;

	for (i = 0; i < KST_PAGE_WAYS; i++, slot++) {
		if (slot->page)
			continue;
		slot->base = base;
		slot->counts = object->counts;
		slot->size = object->size;
		slot->cpu = cpu;
		/* After all else: readers look at the page first. */
		smp_store_release(&slot->page, page);
		return true;
	}
	return false;
}

static void kst_page_remove(u64 page, u64 base)
{
	struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
	unsigned int i;

	for (i = 0; i < KST_PAGE_WAYS; i++, slot++)
		if (slot->page == page && slot->base == base)
			WRITE_ONCE(slot->page, 0);
}

/* Adds (or else removes) the objects of one array that begins at address. */
static void kst_pages_array(const struct kst_object *object, u64 address,
			    u32 cpu, bool add)
{
	u32 i;

	for (i = 0; i < object->number; i++, address += object->size) {
		u64 page = address >> 12;
		u64 last = (address + object->size - 1) >> 12;
		bool found = true;

		for (; page <= last; page++) {
			if (!add)
				kst_page_remove(page, address);
			else if (!kst_page_add(page, address, object, cpu))
				found = false;
		}
		if (!found)
			kst_lost++;
	}
}

static void kst_pages_object(const struct kst_object *object, bool add)
{
	unsigned int cpu;

	if (!object->size)
		return;
	if (!(object->flags & KST_OBJECT_PERCPU)) {
		void *at = (void *)(uintptr_t)object->address;

		/* Freed after boot; another object can come to be there. */
		if (!init_section_contains(at, object->size))
			kst_pages_array(object, object->address, ~0U, add);
		return;
	}
	for_each_possible_cpu(cpu)
		kst_pages_array(object, object->address + per_cpu_offset(cpu),
				cpu, add);
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
	return kst_lost;
}
