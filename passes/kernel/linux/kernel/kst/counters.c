// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The raw counters file: docs/guide/formats.md of kstatic-affinity.
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "internal.h"

#define KST_TEXT_SIZE 4096
#define KST_OUTSIDE_SIZE 3072

static char kst_label[KST_LABEL_SIZE];
static u64 kst_reset_ns;

int kst_bytes_alloc(struct kst_bytes *bytes, size_t room)
{
	bytes->size = 0;
	bytes->room = room;
	bytes->data = vzalloc(room);
	return bytes->data ? 0 : -ENOMEM;
}

void kst_bytes_add(struct kst_bytes *bytes, const void *data, size_t size)
{
	if (WARN_ON_ONCE(size > bytes->room - bytes->size))
		return;
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

/* At most; the text ends with zeros. */
size_t kst_header_size(void)
{
	return 16 + KST_TEXT_SIZE;
}

void kst_add_header(struct kst_bytes *bytes, const char *magic)
{
	static char text[KST_TEXT_SIZE], outside[KST_OUTSIDE_SIZE];
	u32 head[2] = { KST_RAW_VERSION };
	int size;

	lockdep_assert_held(&kst_lock);
	memset(text, 0, sizeof(text));
	size = scnprintf(text, sizeof(text) - 8,
			 "source=kernel\nrelease=%s\nmachine=%s\nconfig=%s\nlabel=%s\ncpus=%u\nduration_ns=%llu\nlost_objects=%u\n",
			 init_utsname()->release, init_utsname()->machine,
			 KST_CONFIG, kst_label, num_online_cpus(),
			 ktime_get_ns() - kst_reset_ns, kst_pages_lost());
	kst_structs_outside(outside, sizeof(outside));
	if (*outside)
		size += scnprintf(text + size, sizeof(text) - 8 - size,
				  "objects_not_found=%s\n", outside);
	head[1] = size;
	kst_bytes_add(bytes, magic, 8);
	kst_bytes_add(bytes, head, sizeof(head));
	kst_bytes_add(bytes, text, round_up(size, 8));
}

/* What each record begins with, and all of the last one. */
struct kst_record_head {
	u64 hash;
	u32 n;
	u32 kind;
};

static void kst_add_record(struct kst_bytes *bytes,
			   const struct kst_record *record)
{
	struct kst_record_head head = { record->hash, record->n, 0 };
	u64 *counts;
	u32 i;

	kst_bytes_add(bytes, &head, sizeof(head));
	if (WARN_ON_ONCE(record->n * sizeof(u64) > bytes->room - bytes->size))
		return;
	counts = (u64 *)(bytes->data + bytes->size);
	kst_record_sum(record, counts);
	for (i = 0; i < record->n; i++)
		counts[i] -= record->base[i];
	bytes->size += record->n * sizeof(u64);
}

/* So that a file that was cut between two records is known to be cut. */
static void kst_add_end(struct kst_bytes *bytes)
{
	struct kst_record_head head = { bytes->size, 0, KST_COUNT_END };

	kst_bytes_add(bytes, &head, sizeof(head));
}

int kst_counters_read(struct kst_bytes *bytes)
{
	size_t room = kst_header_size() + sizeof(struct kst_record_head);
	struct kst_image *image;
	unsigned int i;
	int err;

	mutex_lock(&kst_lock);
	room += kst_structs_bytes();
	list_for_each_entry(image, &kst_images, list)
		for (i = 0; i < image->n_records; i++)
			room += sizeof(struct kst_record_head) +
				image->records[i].n * sizeof(u64);
	err = kst_bytes_alloc(bytes, room);
	if (err)
		goto out;
	kst_add_header(bytes, "KSTCOUNT");
	list_for_each_entry(image, &kst_images, list)
		for (i = 0; i < image->n_records; i++)
			kst_add_record(bytes, &image->records[i]);
	kst_structs_read(bytes);
	kst_add_end(bytes);
out:
	mutex_unlock(&kst_lock);
	return err;
}

void kst_counters_reset(void)
{
	struct kst_image *image;
	unsigned int i;

	mutex_lock(&kst_lock);
	list_for_each_entry(image, &kst_images, list)
		for (i = 0; i < image->n_records; i++)
			kst_record_sum(&image->records[i],
				       image->records[i].base);
	kst_structs_reset();
	kst_reset_ns = ktime_get_ns();
	mutex_unlock(&kst_lock);
}

int kst_label_set(const char *label)
{
	const char *c;

	for (c = label; *c; c++)
		if (iscntrl(*c))
			return -EINVAL;
	if (c - label >= KST_LABEL_SIZE)
		return -EINVAL;
	mutex_lock(&kst_lock);
	strscpy(kst_label, label, sizeof(kst_label));
	mutex_unlock(&kst_lock);
	return 0;
}

void kst_label_get(char *label)
{
	mutex_lock(&kst_lock);
	strscpy(label, kst_label, KST_LABEL_SIZE);
	mutex_unlock(&kst_lock);
}
