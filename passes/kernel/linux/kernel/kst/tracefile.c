// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The raw trace as a file: docs/guide/formats.md of kstatic-affinity. Events
 * are read where they are, because there may be more of them than memory for a
 * copy; everything else is made when the file is opened.
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "internal.h"

/* A run of bytes of the file. */
struct kst_piece {
	const void *data;
	size_t size;
};

/* Before and after the events of a CPU: records of KST_EVENT_KERNEL. */
struct kst_trace_cpu {
	u32 kind;
	u32 stream;
	u64 bytes;
	u64 lost;
};

/* The last record. before: bytes of the file before it. */
struct kst_trace_end {
	u32 kind;
	u32 stream;
	u64 bytes;
	u64 before;
};

struct kst_trace_file {
	struct kst_bytes head;
	struct kst_trace_cpu *cpus;
	struct kst_trace_end end;
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
	size_t room = kst_header_size() + kst_caches_bytes();
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
			kst_add_unit(bytes, &image->records[i]);
		for (i = 0; i < image->n_objects; i++)
			kst_add_objects(bytes, &image->objects[i]);
	}
	kst_caches_read(bytes);
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
	const struct kst_event *events;
	unsigned int cpu;
	u64 used, lost;

	for_each_possible_cpu(cpu) {
		events = kst_trace_buffer(cpu, &used, &lost);
		used *= sizeof(*events);
		*record = (struct kst_trace_cpu) { KST_EVENT_KERNEL, cpu,
						   8 + used, 0 };
		kst_add_piece(trace, record++, sizeof(*record));
		kst_add_piece(trace, events, used);
		*record = (struct kst_trace_cpu) { KST_EVENT_KERNEL, cpu, 8,
						   lost };
		kst_add_piece(trace, record++, sizeof(*record));
	}
}

/* So that a file that was cut between two records is known to be cut. */
static void kst_trace_finish(struct kst_trace_file *trace)
{
	u64 before = 0;
	unsigned int i;

	for (i = 0; i < trace->n_pieces; i++)
		before += trace->pieces[i].size;
	trace->end = (struct kst_trace_end) { KST_EVENT_END, 0, 8, before };
	kst_add_piece(trace, &trace->end, sizeof(trace->end));
}

static int kst_trace_fopen(struct inode *inode, struct file *file)
{
	unsigned int pieces = 2 + 3 * num_possible_cpus();
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
	kst_trace_hold();
	err = kst_trace_head(&trace->head);
	if (!err) {
		kst_add_piece(trace, trace->head.data, trace->head.size);
		kst_trace_cpus(trace);
		kst_trace_finish(trace);
	}
	mutex_unlock(&kst_lock);
	if (err)
		goto release;
	file->private_data = trace;
	return 0;
release:
	kst_trace_release();
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

static int kst_trace_frelease(struct inode *inode, struct file *file)
{
	struct kst_trace_file *trace = file->private_data;

	kst_trace_release();
	vfree(trace->head.data);
	kfree(trace->cpus);
	kvfree(trace);
	return 0;
}

const struct file_operations kst_trace_fops = {
	.owner = THIS_MODULE,
	.open = kst_trace_fopen,
	.read = kst_trace_fread,
	.release = kst_trace_frelease,
};
