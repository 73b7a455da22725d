/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the runtime: the counters that are known, and what is read out.
 */
#ifndef _KERNEL_KST_INTERNAL_H
#define _KERNEL_KST_INTERNAL_H

#include <linux/bits.h>
#include <linux/kst.h>
#include <linux/list.h>
#include <linux/mutex.h>

#define KST_LABEL_SIZE 128

struct module;

/*
 * One record of a raw counters file: the counters of a unit, kind 0.
 * counts: NULL after the module that had them is gone; then kept has the
 * last sums.
 * base: what the counters were at the last reset. A reset never writes to a
 * counter, so it cannot race with the CPUs that count.
 */
struct kst_record {
	u64 hash;
	u32 n;
	const u64 __percpu *counts;
	u64 *base;
	u64 *kept;
	u32 trace_base;
	u32 n_sites;
};

/* The records of vmlinux or of one module, protected by kst_lock. */
struct kst_image {
	struct list_head list;
	const struct module *mod;
	const struct kst_object *objects;
	unsigned int n_objects;
	unsigned int n_records;
	struct kst_record records[] __counted_by(n_records);
};

/* Memory in which objects are not found: where code saw one. */
enum kst_outside {
	KST_OUTSIDE_PAGES,	/* direct map: whole pages, per-CPU, boot memory */
	KST_OUTSIDE_VMALLOC,	/* also per-CPU memory, and stacks of others */
	KST_OUTSIDE_STACK,	/* the one that is run on */
	KST_OUTSIDE_IMAGE,	/* of the kernel and modules */
	KST_OUTSIDE_KINDS
};

/*
 * A chosen struct and its counts by address: of each CPU 2 * size, reads and
 * writes of each byte, then how often a whole object was cleared, then how
 * often code saw one in each kind of memory in which none is found.
 * offsets: where members begin, if a type has told.
 */
struct kst_struct {
	const char *name;
	u64 hash;
	u64 outside_base[KST_OUTSIDE_KINDS];
	u32 size;
	u32 n_offsets;
	u32 *offsets;
	u64 *base;
	u64 *counts[];
};

#define KST_MAX_STRUCTS 8192

/* By number - 1. Once there, they stay. */
extern struct kst_struct *kst_structs[KST_MAX_STRUCTS];

/* The structs in an allocated object. */
#define KST_PARTS 8

struct kst_part {
	u32 offset;
	u32 number;
};

struct kst_place {
	u32 n;
	struct kst_part parts[KST_PARTS];
};

extern struct kst_place kst_places[KST_PLACE_TAIL];

/* Sections of vmlinux; the linker script has the symbols. */
extern struct kst_unit __start___kst_units[], __stop___kst_units[];
extern struct kst_object __start___kst_objects[], __stop___kst_objects[];
extern struct kst_type __start___kst_types[], __stop___kst_types[];

extern struct list_head kst_images;
extern struct mutex kst_lock;

/* A file read out: bytes, allocated with vmalloc(). */
struct kst_bytes {
	size_t size;
	size_t room;
	char *data;
};

int kst_bytes_alloc(struct kst_bytes *bytes, size_t room);
void kst_bytes_add(struct kst_bytes *bytes, const void *data, size_t size);
void kst_add_header(struct kst_bytes *bytes, const char *magic);
size_t kst_header_size(void);

u64 kst_hash(const char *text);
void kst_record_sum(const struct kst_record *record, u64 *sums);

/* All of these take kst_lock. */
int kst_counters_read(struct kst_bytes *bytes);
void kst_counters_reset(void);
int kst_label_set(const char *label);
void kst_label_get(char *label);

/* The caller holds kst_lock. */
void kst_pages_add(const struct kst_object *objects, unsigned int n);
void kst_pages_remove(const struct kst_object *objects, unsigned int n);
unsigned int kst_pages_lost(void);
u32 kst_struct_number(u64 name, u32 size);
void kst_struct_members(u32 number, u64 offsets, u32 n);
size_t kst_structs_bytes(void);
void kst_structs_read(struct kst_bytes *bytes);
void kst_structs_outside(char *text, size_t size);
void kst_structs_reset(void);

/* The shadow. kst_direct_bytes: of the direct map, 0 until it is there. */
#define KST_GRANULE BIT_ULL(KST_GRANULE_BITS)

extern u64 kst_direct_bytes;
int kst_shadow_init(void);
void kst_shadow_static(u64 address, u32 size);

static __always_inline u16 *kst_shadow_at(u64 address)
{
	return &__kst_shadow.places[address >> KST_GRANULE_BITS &
				    __kst_shadow.mask];
}

/* Static and per-CPU objects, by the pages they are in. */
#define KST_STATIC_BITS 12
#define KST_STATIC_WAYS 8

struct kst_static {
	u64 page;	/* address >> PAGE_SHIFT; 0: empty, as what follows */
	u64 base;
	u32 size;
	u32 number;	/* of its struct */
};

extern struct kst_static kst_statics[1 << KST_STATIC_BITS][KST_STATIC_WAYS];

static __always_inline struct kst_static *kst_static_slot(u64 page)
{
	return kst_statics[page * 0x9e3779b97f4a7c15ULL >>
			   (64 - KST_STATIC_BITS)];
}

/* Callable from anywhere that is instrumented. */
void kst_count(u32 number, u64 offset, u64 how);
void kst_count_cleared(u32 number);
bool kst_static_hit(u64 address, u64 how, bool count);
bool kst_slab_hit(u64 address, u64 how, bool count);
void kst_slab_learn(u64 address, struct kst_type *type);
bool kst_place_has(u32 id, u32 offset, u32 number);
bool kst_place_covers(u32 a, u32 b);
u32 kst_place_with(u32 old, u32 offset, u32 number);
u32 kst_places_lost(void);

/* Lives of objects, where they are traced. */
void kst_life_alloc(struct kmem_cache *s, void *object, size_t asked,
		    unsigned long ip);
void kst_life_free(struct kmem_cache *s, void *object, unsigned long ip);
/* While held: records that name the caches of lives. */
size_t kst_caches_bytes(void);
void kst_caches_read(struct kst_bytes *bytes);

/* Tracing. Sizes in bytes for each CPU. */
int kst_trace_start(void);
void kst_trace_stop(void);
bool kst_trace_running(void);
/* what: KST_LIFE_ALLOC or KST_LIFE_FREE */
void kst_trace_life(u32 what, u64 address, const struct kst_life *life);
int kst_trace_set_size(u64 size);
u64 kst_trace_get_size(void);
void kst_trace_state(u64 *events, u64 *lost);
extern const struct file_operations kst_trace_fops;

/*
 * Ends tracing and keeps the buffers as they are until kst_trace_release(). The
 * caller holds kst_lock.
 */
void kst_trace_hold(void);
void kst_trace_release(void);
/* While held: the events of a CPU, how many, and how many were lost after. */
const struct kst_event *kst_trace_buffer(unsigned int cpu, u64 *used,
					 u64 *lost);

#endif /* _KERNEL_KST_INTERNAL_H */
