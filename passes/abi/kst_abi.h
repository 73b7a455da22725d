/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instrumented code and the two runtimes agree on: plain C, so that the
 * kernel's copy, libkst_rt and the pass plugin read the same text. The bytes
 * of files are in docs/profile-formats.md.
 */
#ifndef KST_ABI_H
#define KST_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef u64 kst_u64;
typedef u32 kst_u32;
#else
#include <stdint.h>
typedef uint64_t kst_u64;
typedef uint32_t kst_u32;
#endif

#define KST_ABI_VERSION 1
#define KST_USER_VERSION 2		/* of a kst_unit in user space */

/* Sections. The table of sites is not loaded; the other two are. */
#define KST_TABLE_SECTION ".kst_table"
#define KST_UNITS_SECTION "__kst_units"
#define KST_OBJECTS_SECTION "__kst_objects"
/* Counters of a kernel unit; a section of its own, so that a relocation
 * against it can be told from others. */
#define KST_PERCPU_SECTION ".data..percpu..kst"

/*
 * One translation unit. Kernel: an array of these in KST_UNITS_SECTION.
 * User space: one static object, handed to the runtime by the code itself.
 * hash: names the unit's blob in KST_TABLE_SECTION.
 * counters: kernel: address of the per-CPU array; user space: 0.
 * trace_base: set by the runtime; the unit's site s is site trace_base + s of
 * a trace.
 */
struct kst_unit {
	kst_u64 hash;
	kst_u64 counters;
	kst_u32 n_counters;
	kst_u32 n_sites;
	kst_u32 trace_base;
	kst_u32 version;	/* KST_ABI_VERSION, KST_USER_VERSION */
};

/*
 * User space: what a thread has of one unit, in thread-local storage; the
 * counters follow. attached is 0 until __kst_rt_attach() was called, and as
 * long each counter is one less than its count: ~0 for none. So the step that
 * takes a counter from ~0 to 0 is the sign that nobody attached yet, and the
 * code that steps calls __kst_rt_attach() right behind it, which adds the one
 * to all of them. A step that another one of the same call of its function
 * comes before, for sure, does not look.
 */
struct kst_block {
	kst_u64 attached;
	const struct kst_unit *unit;
	struct kst_block *next;
	struct kst_block **prev;
	void *thread;
	/* kst_u64 counters[unit->n_counters]; */
};

/*
 * Objects of a selected struct with static storage, for accesses that only
 * their address tells. In KST_OBJECTS_SECTION, by the unit that defines them.
 * counts: 2 * size counters, [offset * 2 + (write ? 1 : 0)]; kernel: address
 * of a per-CPU array in KST_PERCPU_SECTION; user space: of a plain one.
 * Objects of one struct may share their counts, which are then added up once.
 */
struct kst_object {
	kst_u64 name;		/* struct name, NUL-terminated, loaded */
	kst_u64 address;	/* KST_OBJECT_PERCPU: of the per-CPU variable */
	kst_u64 counts;
	kst_u32 size;		/* of one object, in bytes */
	kst_u32 number;		/* objects behind one another: an array */
	kst_u32 flags;
	kst_u32 version;
};
#define KST_OBJECT_PERCPU 1

/*
 * The page table of address mode. Code hashes (address >> 12) to a slot and
 * compares: one object per slot, so that a miss costs a load and a compare.
 * Objects that find no free slot are not counted by address and reported as
 * such. An empty slot has page 0, which no kernel or mapped address has.
 * counts: kernel: per-CPU offset for a %gs: access; user space: an address.
 */
struct kst_page {
	kst_u64 page;		/* address >> 12 */
	kst_u64 base;		/* of the object */
	kst_u64 counts;
	kst_u32 size;
	kst_u32 cpu;		/* owner of a per-CPU object, else ~0 */
};
#define KST_PAGE_BITS 12
#define KST_PAGE_WAYS 4		/* slots of one hash value, side by side */
#define KST_PAGE_SLOT(page) \
	((((page) * 0x9e3779b97f4a7c15ull) >> (64 - KST_PAGE_BITS)) * KST_PAGE_WAYS)
/* extern struct kst_page __kst_pages[(1 << KST_PAGE_BITS) * KST_PAGE_WAYS]; */

/* One event of a trace, 16 bytes, in the order of one CPU or thread. */
struct kst_event {
	kst_u64 where;		/* bits 0-47 address, 48-63 time, low 16 bits */
	kst_u64 what;		/* bits 0-23 site, 24-63 time, next 40 bits */
};

/*
 * Called by instrumented code; provided by the runtime.
 *   void __kst_rt_attach(const struct kst_unit *, struct kst_block *);  user
 *   void __kst_rt_flush(void);                user: before exec*, _exit, _Exit
 *   void __kst_trace(struct kst_unit *, kst_u32 site, const void *address);
 */
#endif
