// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace mode: a buffer of events for each CPU, filled once and then full.
 *
 * A slot is reserved by one xadd on a variable of the CPU, which also tells
 * whose CPU it is: exact under interrupts, NMIs and migration, without a lock
 * or a call, so that it may run anywhere, also between STAC and CLAC. What
 * finds no slot is counted as lost. Events of one CPU stand in the order their
 * slots were reserved; their times come from the time stamp counter.
 */
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/msr.h>

#include "kst.h"

#define KST_CPU_SHIFT 40
#define KST_SLOT_MASK ((1ULL << KST_CPU_SHIFT) - 1)

/* CPU << KST_CPU_SHIFT | slots reserved since the start, full or not */
static DEFINE_PER_CPU(u64, kst_trace_next);
static struct kst_event *kst_trace_events[NR_CPUS];

/* Slots of each buffer while tracing, else 0. */
static u64 kst_trace_open_slots;

/* Protected by kst_lock. */
static u64 kst_trace_kb = 4096;
static u64 kst_trace_slots;
static unsigned int kst_trace_readers;

notrace void __kst_trace(struct kst_unit *unit, u32 site, const void *address)
{
	u64 slots = READ_ONCE(kst_trace_open_slots);
	struct kst_event *event;
	u64 at, time;

	if (!slots)
		return;
	at = this_cpu_add_return(kst_trace_next, 1) - 1;
	if ((at & KST_SLOT_MASK) >= slots)
		return;
	event = kst_trace_events[at >> KST_CPU_SHIFT] + (at & KST_SLOT_MASK);
	time = rdtsc();
	event->where = ((u64)address & GENMASK_ULL(47, 0)) | time << 48;
	event->what = ((unit->trace_base + site) & GENMASK_ULL(23, 0)) |
		      (time >> 16) << 24;
}
EXPORT_SYMBOL(__kst_trace);

static void kst_trace_stop_locked(void)
{
	WRITE_ONCE(kst_trace_open_slots, 0);
	/* Who has seen that it was on has written its event after this. */
	synchronize_rcu_tasks();
	synchronize_rcu();
}

void kst_trace_stop(void)
{
	mutex_lock(&kst_lock);
	kst_trace_stop_locked();
	mutex_unlock(&kst_lock);
}

bool kst_trace_running(void)
{
	return READ_ONCE(kst_trace_open_slots);
}

static void kst_trace_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(kst_trace_events[cpu]);
		kst_trace_events[cpu] = NULL;
	}
	kst_trace_slots = 0;
}

static int kst_trace_alloc(void)
{
	u64 slots = kst_trace_kb * 1024 / sizeof(struct kst_event);
	unsigned int cpu;

	if (kst_trace_slots == slots)
		return 0;
	kst_trace_free();
	for_each_possible_cpu(cpu) {
		kst_trace_events[cpu] = vzalloc_node(slots * sizeof(struct kst_event),
						     cpu_to_node(cpu));
		if (!kst_trace_events[cpu]) {
			kst_trace_free();
			return -ENOMEM;
		}
	}
	kst_trace_slots = slots;
	return 0;
}

int kst_trace_start(void)
{
	unsigned int cpu;
	int err;

	mutex_lock(&kst_lock);
	kst_trace_stop_locked();
	err = kst_trace_readers ? -EBUSY : kst_trace_alloc();
	if (!err) {
		for_each_possible_cpu(cpu)
			per_cpu(kst_trace_next, cpu) = (u64)cpu << KST_CPU_SHIFT;
		/* Buffers and positions before the size that opens them. */
		smp_store_release(&kst_trace_open_slots, kst_trace_slots);
	}
	mutex_unlock(&kst_lock);
	return err;
}

int kst_trace_set_size(u64 kb)
{
	if (!kb || kb > 1 << 26)
		return -EINVAL;
	mutex_lock(&kst_lock);
	kst_trace_kb = kb;
	mutex_unlock(&kst_lock);
	return 0;
}

u64 kst_trace_get_size(void)
{
	return kst_trace_kb;
}

static u64 kst_trace_used(unsigned int cpu, u64 *lost)
{
	u64 next = READ_ONCE(per_cpu(kst_trace_next, cpu)) & KST_SLOT_MASK;
	u64 used = min(next, kst_trace_slots);

	*lost = next - used;
	return used;
}

void kst_trace_state(u64 *events, u64 *lost)
{
	unsigned int cpu;
	u64 more;

	*events = *lost = 0;
	mutex_lock(&kst_lock);
	for_each_possible_cpu(cpu) {
		*events += kst_trace_used(cpu, &more);
		*lost += more;
	}
	mutex_unlock(&kst_lock);
}

/* A run of bytes of the file. */
struct kst_piece {
	const void *data;
	size_t size;
};

/* Before and after the events of a CPU: records of kind 2. */
struct kst_trace_cpu {
	u32 kind;
	u32 stream;
	u64 bytes;
	u64 lost;
};

struct kst_trace_file {
	struct kst_bytes head;
	struct kst_trace_cpu *cpus;
	unsigned int n_pieces;
	struct kst_piece pieces[];
};

static size_t kst_object_bytes(const struct kst_object *object)
{
	return 24 + round_up(strlen((const char *)(uintptr_t)object->name) + 1,
			     8);
}

static unsigned int kst_object_copies(const struct kst_object *object)
{
	return object->flags & KST_OBJECT_PERCPU ? num_possible_cpus() : 1;
}

static void kst_add_object(struct kst_bytes *bytes,
			   const struct kst_object *object, u64 address,
			   u32 cpu)
{
	const char *name = (const char *)(uintptr_t)object->name;
	size_t size = kst_object_bytes(object);
	struct {
		u32 kind;
		u32 stream;
		u64 bytes;
		u64 address;
		u64 size;
		u32 number;
		u32 cpu;
	} head = { 3, 0, size, address, object->size, object->number, cpu };
	static const char zeros[8];

	kst_bytes_add(bytes, &head, sizeof(head));
	kst_bytes_add(bytes, name, strlen(name));
	kst_bytes_add(bytes, zeros, size - 24 - strlen(name));
}

static void kst_add_objects(struct kst_bytes *bytes,
			    const struct kst_object *object)
{
	unsigned int cpu;

	if (!(object->flags & KST_OBJECT_PERCPU)) {
		kst_add_object(bytes, object, object->address, ~0U);
		return;
	}
	for_each_possible_cpu(cpu)
		kst_add_object(bytes, object,
			       object->address + per_cpu_offset(cpu), cpu);
}

static void kst_add_unit(struct kst_bytes *bytes,
			 const struct kst_record *record)
{
	struct {
		u32 kind;
		u32 stream;
		u64 bytes;
		u64 hash;
		u32 trace_base;
		u32 sites;
	} head = { 1, 0, 16, record->hash, record->trace_base,
		   record->n_sites };

	kst_bytes_add(bytes, &head, sizeof(head));
}

/* Everything of the file but the events. */
static int kst_trace_head(struct kst_bytes *bytes)
{
	size_t room = kst_header_size();
	struct kst_image *image;
	unsigned int i;
	int err;

	list_for_each_entry(image, &kst_images, list) {
		room += 32 * image->n_records;
		for (i = 0; i < image->n_objects; i++)
			room += (16 + kst_object_bytes(&image->objects[i])) *
				kst_object_copies(&image->objects[i]);
	}
	err = kst_bytes_alloc(bytes, room);
	if (err)
		return err;
	kst_add_header(bytes, "KSTEVENT");
	list_for_each_entry(image, &kst_images, list) {
		for (i = 0; i < image->n_records; i++)
			if (!image->records[i].kind)
				kst_add_unit(bytes, &image->records[i]);
		for (i = 0; i < image->n_objects; i++)
			kst_add_objects(bytes, &image->objects[i]);
	}
	return 0;
}

static void kst_add_piece(struct kst_trace_file *trace, const void *data,
			  size_t size)
{
	trace->pieces[trace->n_pieces++] = (struct kst_piece) { data, size };
}

static void kst_trace_cpus(struct kst_trace_file *trace)
{
	struct kst_trace_cpu *record = trace->cpus;
	unsigned int cpu;
	u64 used, lost;

	for_each_possible_cpu(cpu) {
		used = kst_trace_used(cpu, &lost);
		used *= sizeof(struct kst_event);
		*record = (struct kst_trace_cpu) { 2, cpu, 8 + used, 0 };
		kst_add_piece(trace, record++, sizeof(*record));
		kst_add_piece(trace, kst_trace_events[cpu], used);
		*record = (struct kst_trace_cpu) { 2, cpu, 8, lost };
		kst_add_piece(trace, record++, sizeof(*record));
	}
}

static int kst_trace_fopen(struct inode *inode, struct file *file)
{
	unsigned int pieces = 1 + 3 * num_possible_cpus();
	struct kst_trace_file *trace;
	int err = -ENOMEM;

	trace = kvzalloc(struct_size(trace, pieces, pieces), GFP_KERNEL);
	if (!trace)
		return -ENOMEM;
	trace->cpus = kcalloc(2 * num_possible_cpus(), sizeof(*trace->cpus),
			      GFP_KERNEL);
	if (!trace->cpus)
		goto free;
	mutex_lock(&kst_lock);
	kst_trace_stop_locked();
	err = kst_trace_head(&trace->head);
	if (!err) {
		kst_add_piece(trace, trace->head.data, trace->head.size);
		kst_trace_cpus(trace);
		kst_trace_readers++;
	}
	mutex_unlock(&kst_lock);
	if (err)
		goto free;
	file->private_data = trace;
	return 0;
free:
	kfree(trace->cpus);
	kvfree(trace);
	return err;
}

static ssize_t kst_trace_fread(struct file *file, char __user *to,
			       size_t count, loff_t *ppos)
{
	struct kst_trace_file *trace = file->private_data;
	loff_t begin = 0;
	unsigned int i;

	for (i = 0; i < trace->n_pieces; i++) {
		const struct kst_piece *piece = &trace->pieces[i];
		loff_t within = *ppos - begin;
		ssize_t got;

		if (within < piece->size) {
			got = simple_read_from_buffer(to, count, &within,
						      piece->data, piece->size);
			if (got > 0)
				*ppos += got;
			return got;
		}
		begin += piece->size;
	}
	return 0;
}

static int kst_trace_release(struct inode *inode, struct file *file)
{
	struct kst_trace_file *trace = file->private_data;

	mutex_lock(&kst_lock);
	kst_trace_readers--;
	mutex_unlock(&kst_lock);
	vfree(trace->head.data);
	kfree(trace->cpus);
	kvfree(trace);
	return 0;
}

const struct file_operations kst_trace_fops = {
	.owner = THIS_MODULE,
	.open = kst_trace_fopen,
	.read = kst_trace_fread,
	.release = kst_trace_release,
};
