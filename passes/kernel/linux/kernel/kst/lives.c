// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lives of slab objects in a trace: events of the allocator among those of the
 * accesses. Each names its cache by a number; the table that says what the
 * number means has copies of names and sizes, because a cache can be gone when
 * the trace is read.
 *
 * Called by the allocator, in whatever context it is: no locks, and nothing
 * here allocates. What is given out while tracing is off is not seen.
 */
#include <linux/atomic.h>
#include <linux/kst.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/sections.h>
#include <asm/setup.h>

#include "../../mm/slab.h"
#include "internal.h"

#define KST_CACHE_BITS 10
#define KST_CACHE_WAYS 16
#define KST_CACHE_NAME 48

/* key: of the cache and its name; 0: empty. The rest is never changed. */
struct kst_cache {
	u64 key;
	u32 slot_bytes;
	u32 object_bytes;
	char name[KST_CACHE_NAME];
};

static struct kst_cache kst_caches[1 << KST_CACHE_BITS];

static u32 kst_cache_number(const struct kmem_cache *s)
{
	u64 key = ((u64)s ^ (u64)s->name << 24) * 0x9e3779b97f4a7c15ULL | 1;
	u32 first = key >> (64 - KST_CACHE_BITS), i;

	for (i = 0; i < KST_CACHE_WAYS; i++) {
		struct kst_cache *c = &kst_caches[first ^ i];
		u64 seen = READ_ONCE(c->key);

		if (!seen)
			seen = arch_cmpxchg(&c->key, 0, key);
		if (!seen) {
			c->slot_bytes = s->size;
			c->object_bytes = s->object_size;
			strscpy(c->name, s->name, sizeof(c->name));
		}
		if (!seen || seen == key)
			return first ^ i;
	}
	return ~0U;
}

/* Code of vmlinux is named as it was linked, whatever KASLR did. */
static u64 kst_linked(unsigned long ip)
{
	if (ip >= (unsigned long)_stext && ip < (unsigned long)_etext)
		return ip - kaslr_offset();
	return ip;
}

void kst_life_alloc(struct kmem_cache *s, void *object, size_t asked,
		    unsigned long ip)
{
	struct kst_life life = { kst_linked(ip), asked, kst_cache_number(s) };

	kst_trace_life(KST_LIFE_ALLOC, (u64)object, &life);
}

void kst_life_free(struct kmem_cache *s, void *object, unsigned long ip)
{
	struct kst_life life = { kst_linked(ip), 0, kst_cache_number(s) };

	kst_trace_life(KST_LIFE_FREE, (u64)object, &life);
}

/* A record of KST_EVENT_CACHE. */
struct kst_cache_record {
	u32 kind;
	u32 stream;
	u64 bytes;
	u32 number;
	u32 slot_bytes;
	u32 object_bytes;
	u32 zero;
	char name[KST_CACHE_NAME];
};

size_t kst_caches_bytes(void)
{
	return ARRAY_SIZE(kst_caches) * sizeof(struct kst_cache_record);
}

void kst_caches_read(struct kst_bytes *bytes)
{
	struct kst_cache_record record = {
		.kind = KST_EVENT_CACHE,
		.bytes = sizeof(record) - offsetof(typeof(record), number),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kst_caches); i++) {
		const struct kst_cache *c = &kst_caches[i];

		if (!c->key)
			continue;
		record.number = i;
		record.slot_bytes = c->slot_bytes;
		record.object_bytes = c->object_bytes;
		memcpy(record.name, c->name, sizeof(record.name));
		kst_bytes_add(bytes, &record, sizeof(record));
	}
}
