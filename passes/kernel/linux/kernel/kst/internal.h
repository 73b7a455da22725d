/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the runtime: the counters that are known, and what is read out.
 */
#ifndef _KERNEL_KST_INTERNAL_H
#define _KERNEL_KST_INTERNAL_H

#include <linux/kst.h>
#include <linux/list.h>
#include <linux/mutex.h>

#define KST_LABEL_SIZE 128

struct module;

/*
 * One record of a raw counters file: the counters of a unit (kind 0), or the
 * counts by address of an object's struct (kind 1).
 * counts: NULL after the module that had them is gone; then kept has the
 * last sums.
 * base: what the counters were at the last reset. A reset never writes to a
 * counter, so it cannot race with the CPUs that count.
 */
struct kst_record {
	u64 hash;
	u32 n;
	u32 kind;
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

/* Sections of vmlinux; the linker script has the symbols. */
extern struct kst_unit __start___kst_units[], __stop___kst_units[];
extern struct kst_object __start___kst_objects[], __stop___kst_objects[];

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

/* Tracing. Sizes in bytes for each CPU. */
int kst_trace_start(void);
void kst_trace_stop(void);
bool kst_trace_running(void);
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
