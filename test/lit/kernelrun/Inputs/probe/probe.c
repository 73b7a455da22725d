// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the plugin makes out of code, written by hand: a unit with three
 * counters, and objects that are found by address. Counts a known number of
 * times while it loads, on every CPU, so that a test can tell whether the
 * runtime finds, sums, resets and keeps the counters of a module.
 */
#include <linux/kst.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>

struct probe {
	u64 words[8];
};

static const char probe_name[] = "probe";
static struct probe probe_static[2];
static DEFINE_PER_CPU(struct probe, probe_percpu);

#define IN_KST __section(KST_PERCPU_SECTION)

static u64 __percpu probe_counters[3] IN_KST = { 0 };
static u64 __percpu probe_static_counts[2 * sizeof(struct probe)] IN_KST = { 0 };
static u64 __percpu probe_percpu_counts[2 * sizeof(struct probe)] IN_KST = { 0 };

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
		.counts = (u64)&probe_static_counts,
		.size = sizeof(struct probe),
		.number = ARRAY_SIZE(probe_static),
		.version = KST_ABI_VERSION,
	},
	{
		.name = (u64)probe_name,
		.address = (u64)&probe_percpu,
		.counts = (u64)&probe_percpu_counts,
		.size = sizeof(struct probe),
		.number = 1,
		.flags = KST_OBJECT_PERCPU,
		.version = KST_ABI_VERSION,
	},
};

/* As instrumented code does it. Returns whether the address was found. */
static bool probe_access(void *address, bool write)
{
	u64 page = (u64)address >> 12;
	struct kst_page *slot = &__kst_pages[KST_PAGE_SLOT(page)];
	int i;

	for (i = 0; i < KST_PAGE_WAYS; i++, slot++) {
		u64 offset = (u64)address - slot->base;

		if (slot->page != page || offset >= slot->size)
			continue;
		asm volatile("incq %%gs:(%0)"
			     : : "r"(slot->counts + 16 * offset + 8 * write)
			     : "memory", "cc");
		return true;
	}
	return false;
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
	pr_info("probe: cpus=%d found=%d\n", num_online_cpus(),
		atomic_read(&found));
	return 0;
}

static void __exit probe_exit(void)
{
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Counters written by hand");
MODULE_LICENSE("GPL");
