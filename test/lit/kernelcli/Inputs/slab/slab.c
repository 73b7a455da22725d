// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of objects that come to be where others were: two caches with
 * objects of one size, structs a (number 1) and b (number 2).
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kst/slab.c"
#include "kernel/kst/places.c"

static u16 shadow[1 << 16];
struct kst_shadow __kst_shadow = { 0xffff, shadow };
u64 kst_direct_bytes = sizeof(memory);
struct kst_struct *kst_structs[KST_MAX_STRUCTS];
struct kst_type __start___kst_types[1], __stop___kst_types[1];
static u64 hits[3], cleared[3];

void kst_count(u32 number, u64 offset, u64 how)
{
	hits[number]++;
}

void kst_count_cleared(u32 number)
{
	cleared[number]++;
}

static bool tracing;
bool kst_trace_running(void)
{
	return tracing;
}

void kst_life_alloc(struct kmem_cache *s, void *object, size_t asked,
		    unsigned long ip)
{
	printf("traced: alloc %s+%td %zu by %#lx\n", s->name,
	       (char *)object - memory, asked, ip);
}

void kst_life_free(struct kmem_cache *s, void *object, unsigned long ip)
{
	printf("traced: free %s+%td by %#lx\n", s->name,
	       (char *)object - memory, ip);
}

static struct kst_type a = { .name = (u64)"a", .size = 192, .number = 1 };
static struct kst_type b = { .name = (u64)"b", .size = 192, .number = 2 };
static struct kmem_cache first = { "first", 192, 192, 192 };
static struct kmem_cache second = { "second", 192, 192, 192 };
static char *const object = memory + 192;

static void access(void)
{
	kst_slab_hit((u64)object + 8, KST_HIT(KST_HIT_WRITE, 0, 0), true);
}

/* Lives of an object of struct b: an access, then one by type, then another. */
static void lives(const char *title, int times)
{
	memset(hits, 0, sizeof(hits));
	memset(cleared, 0, sizeof(cleared));
	for (int i = 0; i < times; i++) {
		kst_slab_alloc(slab.slab_cache, object, true, 192, 0x2000);
		access();
		kst_slab_learn((u64)object, &b);
		access();
		kst_slab_free(slab.slab_cache, object, 0x4000);
	}
	printf("%s: a %lu, cleared %lu; b %lu, cleared %lu\n", title, hits[1],
	       cleared[1], hits[2], cleared[2]);
}

static __attribute__((noinline)) void outside(void)
{
	in_slab = false;
	kst_slab_learn((u64)object, &a);
	kst_slab_learn(VMALLOC_START + 64, &a);
	kst_slab_learn(VMALLOC_START + 128, &a);
	kst_slab_learn((u64)__builtin_frame_address(0), &a);
	kst_slab_learn((u64)&in_slab, &a);
}

int main(void)
{
	static u64 counts[2 * 192 + 1 + KST_OUTSIDE_KINDS];
	struct kst_struct *sizes = calloc(1, sizeof(*sizes) + sizeof(u64 *));

	sizes->size = 192;
	sizes->counts[0] = counts;
	kst_structs[0] = kst_structs[1] = sizes;
	slab.slab_cache = &first;
	kst_slab_alloc(&first, object, true, 192, 0x1000);
	kst_slab_learn((u64)object, &a);
	kst_slab_free(&first, object, 0x4000);
	/* Under RCU someone reads it still; then its page is another cache's. */
	kst_slab_learn((u64)object, &a);
	slab.slab_cache = &second;
	lives("read when free", 3);

	/* Other code had the same memory just before, and made nothing of it. */
	for (int i = 0; i < 3; i++) {
		kst_slab_alloc(&second, object, false, 192, 0x3000);
		kst_slab_free(&second, object, 0x4000);
	}
	lives("just freed", 3);
	memset(hits, 0, sizeof(hits));
	kst_slab_alloc(&second, object, true, 192, 0x3000);
	access();
	printf("other code: a %lu, b %lu\n", hits[1], hits[2]);

	/* Traced are also objects that no chosen struct was ever in. */
	tracing = true;
	kst_slab_free(&second, object, 0x4000);
	kst_slab_alloc(&second, object + 192, false, 100, 0x3000);
	kst_slab_alloc(&second, NULL, false, 100, 0x3000);

	/* Where no object is found. A kernel's stack begins at a multiple of its
	 * size; here what calls from now on lie at the upper end of such a range. */
	*(volatile char *)__builtin_alloca(
		((u64)__builtin_frame_address(0) & (THREAD_SIZE - 1)) + 256) = 0;
	outside();
	printf("outside: pages %lu, vmalloc %lu, stack %lu, image %lu\n",
	       counts[385], counts[386], counts[387], counts[388]);
	return 0;
}
