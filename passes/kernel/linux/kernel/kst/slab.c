// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Allocated objects of the chosen structs, also those inside of others: where
 * code accesses one through its type, __kst_learn() asks the slab for the
 * object around it and notes its place in the shadow; when the object is freed,
 * it is forgotten. So that accesses before that are seen too, the code that
 * allocates is remembered with what became of its objects: the next ones are
 * expected to be the same, until the first typed access says otherwise.
 *
 * The slab of an object can be read without a lock by who has the right to
 * access the object.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/kfence.h>
#include <linux/kst.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/reciprocal_div.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/thread_info.h>
#include <linux/vmalloc.h>

#include "../../mm/slab.h"
#include "internal.h"

#define KST_CALLER_BITS 12
#define KST_CALLER_WAYS 4
#define KST_RECENT 16
#define KST_FORGET_AFTER 1024
#define KST_EXPECTED_ENOUGH 64

struct kst_slab_object {
	const char *cache;
	u64 start;
	u64 slab;	/* where the slab begins */
	u32 size;
	u32 stride;
};

/* Code that allocates from a cache, and the place of its objects. */
struct kst_caller {
	u64 key;
	u16 place;	/* 0: none seen */
	u16 mixed;	/* objects of different places */
	u32 expected;	/* objects that were expected to have this place */
	u32 right;	/* of these, soon found to have it */
};

/* What a CPU allocated last. */
struct kst_recent {
	u64 start;
	u64 key;
	bool zeroed;
};

static struct kst_caller kst_callers[1 << KST_CALLER_BITS];
static DEFINE_PER_CPU(struct kst_recent, kst_recent[KST_RECENT]);
static DEFINE_PER_CPU(u32, kst_allocated);

static __always_inline bool kst_slab_object(u64 address,
					    struct kst_slab_object *o)
{
	const struct kmem_cache *s;
	const struct slab *slab;

	if (address - PAGE_OFFSET >= kst_direct_bytes ||
	    is_kfence_address((void *)address))
		return false;
	slab = virt_to_slab((void *)address);
	s = slab ? slab->slab_cache : NULL;
	if (!s)
		return false;
	o->cache = s->name;
	o->slab = (u64)slab_address(slab);
	o->size = s->object_size;
	o->stride = s->size;
	o->start = o->slab + (u64)s->size * reciprocal_divide(address - o->slab,
							      s->reciprocal_size);
	if (s->flags & SLAB_RED_ZONE)
		o->start += s->red_left_pad;
	return address - o->start < o->size;
}

/* Code saw an object of that struct where kst_slab_object() finds none. */
static __always_inline void kst_count_outside(u64 address, u32 number)
{
	const struct kst_struct *s = kst_structs[number - 1];
	u32 kind = KST_OUTSIDE_IMAGE;
	u64 here = (u64)__builtin_frame_address(0);

	if (((address ^ here) & -THREAD_SIZE) == 0)
		kind = KST_OUTSIDE_STACK;
	else if (address - PAGE_OFFSET < kst_direct_bytes)
		kind = KST_OUTSIDE_PAGES;
	else if (address >= VMALLOC_START && address <= VMALLOC_END)
		kind = KST_OUTSIDE_VMALLOC;
	arch_atomic64_inc((atomic64_t *)&s->counts[raw_smp_processor_id()]
					[2 * s->size + 1 + kind]);
}

static __always_inline u32 kst_place_at(const struct kst_slab_object *o)
{
	u32 id = READ_ONCE(*kst_shadow_at(o->start)) & (KST_PLACES - 1);

	return id < KST_PLACE_TAIL ? id : 0;
}

/* The granules of an object, and the one in which the next object begins. */
struct kst_granules {
	u64 first, last, next;
};

static __always_inline struct kst_granules
kst_granules_of(const struct kst_slab_object *o)
{
	return (struct kst_granules){
		.first = o->start >> KST_GRANULE_BITS,
		.last = (o->start + o->size - 1) >> KST_GRANULE_BITS,
		.next = (o->start + o->stride) >> KST_GRANULE_BITS,
	};
}

static __always_inline bool kst_is_static(const u16 *shadow)
{
	return READ_ONCE(*shadow) == KST_PLACE_STATIC;
}

/*
 * The first granule of an object tells its place; the others say that there is
 * something. In the last one the next object may begin.
 */
static __always_inline void kst_mark(const struct kst_slab_object *o, u16 place)
{
	const struct kst_granules of = kst_granules_of(o);
	u64 at;

	for (at = of.first; at <= of.last; at++) {
		u16 *shadow = kst_shadow_at(at << KST_GRANULE_BITS);

		if (kst_is_static(shadow))
			continue;
		if (at == of.next && at != of.first)
			arch_cmpxchg(shadow, 0, KST_PLACE_TAIL);
		else
			WRITE_ONCE(*shadow, place);
	}
}

/* Does the object before this one end in the granule where this one begins? */
static bool kst_tail_before(const struct kst_slab_object *o)
{
	struct kst_slab_object before = *o;

	if (o->start < o->slab + o->stride)
		return false;
	before.start -= o->stride;
	if ((before.start + before.size - 1) >> KST_GRANULE_BITS !=
	    o->start >> KST_GRANULE_BITS)
		return false;
	return before.start >> KST_GRANULE_BITS !=
		       o->start >> KST_GRANULE_BITS && kst_place_at(&before);
}

static void kst_unmark(const struct kst_slab_object *o)
{
	const struct kst_granules of = kst_granules_of(o);
	u64 at;

	for (at = of.first; at <= of.last; at++) {
		u16 *shadow = kst_shadow_at(at << KST_GRANULE_BITS);

		if (kst_is_static(shadow))
			continue;
		if (at == of.first)
			WRITE_ONCE(*shadow, kst_tail_before(o) ?
					    KST_PLACE_TAIL : 0);
		else if (at == of.next)
			arch_cmpxchg(shadow, KST_PLACE_TAIL, 0);
		else
			WRITE_ONCE(*shadow, 0);
	}
}

bool kst_slab_hit(u64 address, u64 how, bool count)
{
	u32 part = KST_HIT_PART(how);
	const struct kst_place *place;
	struct kst_slab_object o;
	bool found = false;
	u32 i, id;

	if (!kst_slab_object(address, &o))
		return false;
	id = kst_place_at(&o);
	place = &kst_places[id];
	for (i = 0; id && i < place->n; i++) {
		const struct kst_part *p = &place->parts[i];
		u64 offset = address - o.start - p->offset;
		u32 size = kst_structs[p->number - 1]->size;

		if (offset >= size || size == part)
			continue;
		found = true;
		if (count)
			kst_count(p->number, offset, how);
	}
	return found;
}

/* make: an entry for it if there is room. */
static __always_inline struct kst_caller *kst_caller_of(u64 key, bool make)
{
	u32 slot = key >> (64 - KST_CALLER_BITS), i;

	for (i = 0; i < KST_CALLER_WAYS; i++) {
		struct kst_caller *c = &kst_callers[slot ^ i];
		u64 seen = READ_ONCE(c->key);

		if (!seen && make)
			seen = arch_cmpxchg(&c->key, 0, key) ?: key;
		if (seen == key)
			return c;
	}
	return NULL;
}

/*
 * An object was found to have this place, which it was not (0), rightly (1) or
 * wrongly (2) expected to have: what will the next ones have?
 */
static __always_inline void kst_caller_learn(u64 key, u32 place, u32 expected)
{
	struct kst_caller *c = kst_caller_of(key, true);

	if (!c)
		return;
	if (expected == 1)
		c->right++;
	else if (expected == 2)
		WRITE_ONCE(c->mixed, 1);
	else if (!c->place || kst_place_covers(place, c->place))
		WRITE_ONCE(c->place, place);
	else if (!kst_place_covers(c->place, place))
		WRITE_ONCE(c->mixed, 1);
}

/* The last first: memory that was just freed is what is allocated next. */
static __always_inline const struct kst_recent *kst_recent_of(u64 start)
{
	const struct kst_recent *all = raw_cpu_ptr(kst_recent), *recent;
	u32 n = raw_cpu_read(kst_allocated), i;

	for (i = 0; i < KST_RECENT; i++) {
		recent = all + (n - i) % KST_RECENT;
		if (READ_ONCE(recent->start) == start)
			return recent;
	}
	return NULL;
}

/*
 * A struct does not lie in a smaller object: code can look at the beginning of
 * an object as if it were another's. But what a cache is named after is in its
 * objects, also where the end of the struct is left away.
 */
static __always_inline bool kst_slab_fits(const struct kst_slab_object *o,
					  u64 offset,
					  const struct kst_type *type)
{
	const char *name = (const char *)(uintptr_t)type->name;
	u32 i;

	if (offset + type->size <= o->size)
		return true;
	if (offset)
		return false;
	for (i = 0; name[i] && name[i] == o->cache[i]; i++)
		;
	return name[i] == o->cache[i];
}

void kst_slab_learn(u64 address, struct kst_type *type)
{
	const struct kst_recent *recent;
	struct kst_slab_object o;
	bool expected, has;
	u32 old, id, offset;
	u16 shadow;

	if (!kst_slab_object(address, &o)) {
		kst_count_outside(address, type->number);
		return;
	}
	offset = address - o.start;
	if (!kst_slab_fits(&o, offset, type))
		return;
	shadow = READ_ONCE(*kst_shadow_at(o.start));
	if (shadow == KST_PLACE_STATIC)
		return;
	old = kst_place_at(&o);
	expected = old && (shadow & KST_PLACE_EXPECTED);
	id = old;
	has = old && kst_place_has(old, offset, type->number);
	if (!has)
		id = kst_place_with(expected ? 0 : old, offset, type->number);
	if (!id)
		return;
	if (!has || expected) {
		kst_mark(&o, id);
		recent = kst_recent_of(o.start);
		if (recent)
			kst_caller_learn(recent->key, id,
					 expected ? 2 - has : 0);
		if (recent && recent->zeroed && !has)
			kst_count_cleared(type->number);
	}
	arch_set_bit(id, (unsigned long *)type->known);
}

/*
 * What types know of places is given up from time to time: of a place that has
 * a struct twice they learned one, and take the other for known.
 */
static void kst_forget(void)
{
	struct kst_type *type;

	for (type = __start___kst_types; type < __stop___kst_types; type++) {
		memset(type->known, 0, sizeof(type->known));
		arch_set_bit(KST_PLACE_STATIC, (unsigned long *)type->known);
	}
}

static void kst_expect(const struct kst_slab_object *o, u32 id, bool zeroed)
{
	const struct kst_place *place = &kst_places[id];
	u32 i;

	kst_mark(o, id | KST_PLACE_EXPECTED);
	for (i = 0; zeroed && i < place->n; i++)
		kst_count_cleared(place->parts[i].number);
}

/* Whether what the caller's objects were found to be tells of the next one. */
static bool kst_caller_tells(struct kst_caller *c)
{
	if (!READ_ONCE(c->place) || READ_ONCE(c->mixed))
		return false;
	/* Many that are never used as what they were expected to be. */
	return c->expected++ < KST_EXPECTED_ENOUGH ||
	       c->right >= c->expected / 4;
}

void kst_slab_alloc(struct kmem_cache *s, void *object, bool zeroed,
		    size_t asked, unsigned long ip)
{
	struct kst_recent *recent;
	struct kst_caller *caller;
	struct kst_slab_object o;
	u32 n, known, i;
	u64 key;

	if (!object)
		return;
	if (kst_trace_running())
		kst_life_alloc(s, object, asked, ip);
	if (!kst_slab_object((u64)object, &o) || o.start != (u64)object)
		return;
	key = ((u64)s ^ ip << 20) * 0x9e3779b97f4a7c15ULL | 1;
	n = this_cpu_inc_return(kst_allocated);
	recent = raw_cpu_ptr(kst_recent) + n % KST_RECENT;
	WRITE_ONCE(recent->start, 0);
	recent->key = key;
	recent->zeroed = zeroed;
	/* Who finds the object here finds what belongs to it. */
	smp_store_release(&recent->start, o.start);
	if (n % KST_FORGET_AFTER == 0)
		kst_forget();

	/* By its constructor; else by who read a free object under RCU. */
	known = kst_place_at(&o);
	if (known && !s->ctor) {
		kst_unmark(&o);
		known = 0;
	}
	for (i = 0; known && zeroed && i < kst_places[known].n; i++)
		kst_count_cleared(kst_places[known].parts[i].number);
	if (known)
		kst_caller_learn(key, known, 0);
	caller = known ? NULL : kst_caller_of(key, false);
	if (caller && kst_caller_tells(caller))
		kst_expect(&o, READ_ONCE(caller->place), zeroed);
}

void kst_slab_free(struct kmem_cache *s, void *object, unsigned long ip)
{
	struct kst_slab_object o;

	if (kst_trace_running())
		kst_life_free(s, object, ip);
	if (READ_ONCE(*kst_shadow_at((u64)object)) &&
	    kst_slab_object((u64)object, &o) && kst_place_at(&o))
		kst_unmark(&o);
}
