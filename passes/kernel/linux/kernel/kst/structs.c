// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chosen structs and their counts by address: for each CPU an array of
 * reads and writes at each byte, and how often a whole object was cleared when
 * it was allocated. Structs of one name and size are one, and stay when the
 * module that named them goes.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

struct kst_struct *kst_structs[KST_MAX_STRUCTS];
static unsigned int kst_n_structs;

static void kst_struct_free(struct kst_struct *s)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(s->counts[cpu]);
	kvfree(s->base);
	kfree(s->name);
	kfree(s->offsets);
	kfree(s);
}

static struct kst_struct *kst_struct_alloc(const char *name, u64 hash, u32 size)
{
	struct kst_struct *s;
	unsigned int cpu;

	s = kzalloc(struct_size(s, counts, nr_cpu_ids), GFP_KERNEL);
	if (!s)
		return NULL;
	s->hash = hash;
	s->size = size;
	s->name = kstrdup(name, GFP_KERNEL);
	s->base = kvcalloc(2 * (size_t)size, sizeof(u64), GFP_KERNEL);
	if (!s->name || !s->base)
		goto free;
	for_each_possible_cpu(cpu) {
		s->counts[cpu] = kvcalloc(2 * (size_t)size + 1 +
						  KST_OUTSIDE_KINDS,
					  sizeof(u64), GFP_KERNEL);
		if (!s->counts[cpu])
			goto free;
	}
	return s;
free:
	kst_struct_free(s);
	return NULL;
}

/* The number of a struct, from 1; 0: there is no room for it. */
u32 kst_struct_number(u64 name, u32 size)
{
	const char *text = (const char *)(uintptr_t)name;
	u64 hash = kst_hash(text);
	struct kst_struct *s;
	u32 i;

	lockdep_assert_held(&kst_lock);
	for (i = 0; i < kst_n_structs; i++)
		if (kst_structs[i]->hash == hash && kst_structs[i]->size == size)
			return i + 1;
	if (!size || i == KST_MAX_STRUCTS)
		return 0;
	s = kst_struct_alloc(text, hash, size);
	if (!s)
		return 0;
	kst_structs[i] = s;
	kst_n_structs = i + 1;
	return kst_n_structs;
}

/* What a type says of its struct. */
void kst_struct_members(u32 number, u64 offsets, u32 n)
{
	struct kst_struct *s = number ? kst_structs[number - 1] : NULL;
	u32 *copy;

	if (!s || s->offsets || !n)
		return;
	copy = kmemdup((const u32 *)(uintptr_t)offsets, n * sizeof(*copy),
		       GFP_KERNEL);
	if (!copy)
		return;
	s->offsets = copy;
	s->n_offsets = n;
}

/* counts: 2 * size numbers. Clearing an object writes each member once. */
static void kst_struct_sum(const struct kst_struct *s, u64 *counts)
{
	unsigned int cpu;
	u64 cleared = 0;
	u32 i;

	memset(counts, 0, 2 * (size_t)s->size * sizeof(*counts));
	for_each_possible_cpu(cpu) {
		for (i = 0; i < 2 * s->size; i++)
			counts[i] += READ_ONCE(s->counts[cpu][i]);
		cleared += READ_ONCE(s->counts[cpu][i]);
	}
	for (i = 0; i < s->n_offsets; i++)
		if (s->offsets[i] < s->size)
			counts[2 * s->offsets[i] + 1] += cleared;
}

size_t kst_structs_bytes(void)
{
	size_t bytes = 0;
	u32 i;

	for (i = 0; i < kst_n_structs; i++)
		bytes += 16 + 2 * (size_t)kst_structs[i]->size * sizeof(u64);
	return bytes;
}

/* Records of kind 1. */
void kst_structs_read(struct kst_bytes *bytes)
{
	u32 i, k;

	for (i = 0; i < kst_n_structs; i++) {
		const struct kst_struct *s = kst_structs[i];
		struct {
			u64 hash;
			u32 n;
			u32 kind;
		} head = { s->hash, 2 * s->size, 1 };
		u64 *counts;

		kst_bytes_add(bytes, &head, sizeof(head));
		if (WARN_ON_ONCE(head.n * sizeof(u64) >
				 bytes->room - bytes->size))
			return;
		counts = (u64 *)(bytes->data + bytes->size);
		kst_struct_sum(s, counts);
		for (k = 0; k < head.n; k++)
			counts[k] -= s->base[k];
		bytes->size += head.n * sizeof(u64);
	}
}

static u64 kst_struct_outside(const struct kst_struct *s, u32 kind)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(s->counts[cpu][2 * s->size + 1 + kind]);
	return sum;
}

/*
 * "rq: pages 2 + stack 5; cfs_rq: pages 1", since the last reset. Structs for
 * which there is no room are left out, and "; ..." says so.
 */
void kst_structs_outside(char *text, size_t size)
{
	static const char *const kinds[] = { "pages", "vmalloc", "stack",
					     "image" };
	size_t at = 0, end = 0;
	u32 i, kind;

	*text = '\0';
	for (i = 0; i < kst_n_structs; i++) {
		const struct kst_struct *s = kst_structs[i];
		const char *before = ": ";

		for (kind = 0; kind < KST_OUTSIDE_KINDS; kind++) {
			u64 n = kst_struct_outside(s, kind) -
				s->outside_base[kind];

			if (!n)
				continue;
			if (*before == ':')
				at += scnprintf(text + at, size - at, "%s%s",
						end ? "; " : "", s->name);
			at += scnprintf(text + at, size - at, "%s%s %llu",
					before, kinds[kind], n);
			before = " + ";
		}
		/* Full, or so near to it that the next would be cut. */
		if (at + 6 > size) {
			scnprintf(text + end, size - end, "; ...");
			return;
		}
		end = at;
	}
}

void kst_structs_reset(void)
{
	u32 i, kind;

	for (i = 0; i < kst_n_structs; i++) {
		struct kst_struct *s = kst_structs[i];

		kst_struct_sum(s, s->base);
		for (kind = 0; kind < KST_OUTSIDE_KINDS; kind++)
			s->outside_base[kind] = kst_struct_outside(s, kind);
	}
}
