// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the plugin makes out of code, written by hand: a unit with three
 * counters, and objects that are found by address, static and allocated ones.
 * Counts a known number of times while it loads, on every CPU, so that a test
 * can tell whether the runtime finds, sums, resets and keeps the counters of a
 * module.
 */
#include <linux/kst.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>

struct probe {
	u64 words[8];
};

static const char probe_name[] = "probe";
static struct probe probe_static[2];
static DEFINE_PER_CPU(struct probe, probe_percpu);

#define IN_KST __section(KST_PERCPU_SECTION)

static u64 __percpu probe_counters[3] IN_KST = { 0 };

static struct kst_unit probe_unit __used __section(KST_UNITS_SECTION) = {
	.hash = 0x1122334455667788,
	.counters = (u64)&probe_counters,
	.n_counters = ARRAY_SIZE(probe_counters),
	.n_sites = 5,
	.version = KST_ABI_VERSION,
};

static struct kst_object probe_objects[2] __used
	__section(KST_OBJECTS_SECTION) = {
	{
		.name = (u64)probe_name,
		.address = (u64)probe_static,
		.size = sizeof(struct probe),
		.number = ARRAY_SIZE(probe_static),
		.version = KST_ABI_VERSION,
	},
	{
		.name = (u64)probe_name,
		.address = (u64)&probe_percpu,
		.size = sizeof(struct probe),
		.number = 1,
		.flags = KST_OBJECT_PERCPU,
		.version = KST_ABI_VERSION,
	},
};

/* Embedded in what is allocated, at two places. */
struct probe_part {
	u64 words[5];
};

struct probe_outer {
	u64 words[11];
	struct probe_part first;
	u64 more[3];
	struct probe_part second;
};

static const char probe_part_name[] = "probe_part";
static const u32 probe_part_offsets[] = { 0, 8, 16, 24, 32 };

static struct kst_type probe_type __used __section(KST_TYPES_SECTION) = {
	.name = (u64)probe_part_name,
	.offsets = (u64)probe_part_offsets,
	.size = sizeof(struct probe_part),
	.n_offsets = ARRAY_SIZE(probe_part_offsets),
	.version = KST_ABI_VERSION,
	.known[KST_PLACE_STATIC / 32] = 1U << KST_PLACE_STATIC % 32,
};

/* As instrumented code does it; true: there is an object. */
static bool probe_hit(void *address, u64 how)
{
	u64 index = (u64)address >> KST_GRANULE_BITS & __kst_shadow.mask;

	if (!__kst_shadow.places[index])
		return false;
	__kst_hit((u64)address, how);
	return __kst_is_hit((u64)address, how);
}

static bool probe_access(void *address, bool write)
{
	return probe_hit(address, write ? KST_HIT_WRITE : KST_HIT_READ);
}

static void probe_learn(void *address)
{
	u64 index = (u64)address >> KST_GRANULE_BITS & __kst_shadow.mask;
	u16 place = __kst_shadow.places[index];

	if (!(probe_type.known[place / 32] >> place % 32 & 1))
		__kst_learn((u64)address, &probe_type);
}

static noinline struct probe_outer *probe_alloc(void)
{
	void *new = kzalloc(sizeof(struct probe_outer), GFP_KERNEL);

	/* No tail call: the code that allocates is this. */
	barrier();
	return new;
}

/*
 * Objects of kmalloc(): found once an access through the type has told of them,
 * and the next one from the beginning, until it is freed. A bit for each step
 * that went as it must.
 */
static u32 probe_slab(void)
{
	struct probe_outer *one = probe_alloc(), *two;
	void *other;
	u32 good = 0;

	if (!one)
		return 0;
	good |= !probe_access(&one->first.words[2], true) << 0;
	probe_learn(&one->first);
	good |= probe_access(&one->first.words[2], true) << 1;
	good |= !probe_access(&one->second.words[2], true) << 2;
	__kst_learn((u64)&one->second, &probe_type);
	good |= probe_access(&one->second.words[4], false) << 3;
	/* Around them. */
	good |= !probe_access(&one->words[10], true) << 4;
	good |= !probe_access(&one->more[0], true) << 5;

	/* All of first; an object of that size that is counted already. */
	good |= probe_hit(&one->first, KST_HIT(KST_HIT_WRITE, 0, 40)) << 6;
	good |= !probe_hit(&one->first, KST_HIT(KST_HIT_WRITE, 40, 0)) << 7;

	two = probe_alloc();
	if (two)
		good |= probe_access(&two->second.words[1], true) << 8;
	kfree(two);
	kfree(one);
	/* Of other code, perhaps the same memory. */
	other = kzalloc(sizeof(struct probe_outer), GFP_KERNEL);
	if (other)
		good |= !probe_access(other + offsetof(struct probe_outer, first), true) << 9;
	kfree(other);
	return good;
}

static void probe_count(void *found)
{
	int i;

	for (i = 0; i < 10; i++)
		asm volatile("incq %%gs:%c0" : : "i"(&probe_counters[0])
			     : "memory", "cc");
	asm volatile("addq $7, %%gs:%c0" : : "i"(&probe_counters[2])
		     : "memory", "cc");
	if (probe_access(&this_cpu_ptr(&probe_percpu)->words[3], true) &&
	    probe_access(&probe_static[1].words[1], false) &&
	    !probe_access(&found, false))
		atomic_inc(found);
	__kst_trace(&probe_unit, 4, &probe_static[0].words[2]);
}

static int __init probe_init(void)
{
	atomic_t found = ATOMIC_INIT(0);

	on_each_cpu(probe_count, &found, 1);
	pr_info("probe: cpus=%d found=%d allocated=%x\n", num_online_cpus(),
		atomic_read(&found), probe_slab());
	return 0;
}

static void __exit probe_exit(void)
{
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Counters written by hand");
MODULE_LICENSE("GPL");
