// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which counters there are: those of vmlinux, found through its sections at an
 * early initcall, and those of modules as they come and go.
 *
 * What was counted before an image was found is not part of any profile: until
 * the per-CPU areas are set up, code counts in the template that every CPU's
 * area is then copied from.
 */
#define pr_fmt(fmt) "kst: " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "internal.h"

LIST_HEAD(kst_images);

/* Protects kst_images, the page table, the label and the trace buffers. */
DEFINE_MUTEX(kst_lock);

/* The number of the next unit's first site in a trace. */
static u32 kst_sites;

/* FNV-1a */
static u64 kst_hash(const char *text)
{
	u64 hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 0x100000001b3ULL;
	return hash;
}

void kst_record_sum(const struct kst_record *record, u64 *sums)
{
	unsigned int cpu;
	u32 i;

	if (!record->counts) {
		memcpy(sums, record->kept, record->n * sizeof(*sums));
		return;
	}
	memset(sums, 0, record->n * sizeof(*sums));
	for_each_possible_cpu(cpu) {
		const u64 *counts = per_cpu_ptr(record->counts, cpu);

		for (i = 0; i < record->n; i++)
			sums[i] += READ_ONCE(counts[i]);
	}
}

static const u64 __percpu *kst_percpu(u64 address)
{
	return (const u64 __percpu __force *)(uintptr_t)address;
}

static void kst_unit_record(struct kst_record *record, struct kst_unit *unit)
{
	unit->trace_base = kst_sites;
	kst_sites += unit->n_sites;
	*record = (struct kst_record) {
		.hash = unit->hash,
		.n = unit->n_counters,
		.counts = kst_percpu(unit->counters),
		.trace_base = unit->trace_base,
		.n_sites = unit->n_sites,
	};
}

/* Objects may share their counts, and then have one record. */
static bool kst_object_has_record(const struct kst_image *image,
				  unsigned int n_records,
				  const struct kst_object *object)
{
	/* Those of the same unit stand last. */
	while (n_records--)
		if (image->records[n_records].counts ==
		    kst_percpu(object->counts))
			return true;
	return false;
}

static void kst_object_record(struct kst_record *record,
			      const struct kst_object *object)
{
	*record = (struct kst_record) {
		.hash = kst_hash((const char *)(uintptr_t)object->name),
		.n = 2 * object->size,
		.kind = 1,
		.counts = kst_percpu(object->counts),
	};
}

static bool kst_versions_fit(const struct kst_unit *units, unsigned int n_units,
			     const struct kst_object *objects,
			     unsigned int n_objects)
{
	unsigned int i;

	for (i = 0; i < n_units; i++)
		if (units[i].version != KST_ABI_VERSION)
			return false;
	for (i = 0; i < n_objects; i++)
		if (objects[i].version != KST_ABI_VERSION)
			return false;
	return true;
}

static void kst_image_free(struct kst_image *image)
{
	unsigned int i;

	for (i = 0; i < image->n_records; i++) {
		kvfree(image->records[i].base);
		kvfree(image->records[i].kept);
	}
	kvfree(image);
}

static struct kst_image *
kst_image_alloc(const struct module *mod, struct kst_unit *units,
		unsigned int n_units, const struct kst_object *objects,
		unsigned int n_objects)
{
	struct kst_image *image;
	unsigned int i;

	image = kvzalloc(struct_size(image, records, n_units + n_objects),
			 GFP_KERNEL);
	if (!image)
		return NULL;
	image->mod = mod;
	image->objects = objects;
	image->n_objects = n_objects;
	image->n_records = n_units + n_objects;
	for (i = 0; i < n_units; i++)
		kst_unit_record(&image->records[i], &units[i]);
	for (i = 0; i < n_objects; i++)
		if (!kst_object_has_record(image, n_units, &objects[i]))
			kst_object_record(&image->records[n_units++],
					  &objects[i]);
	image->n_records = n_units;
	for (i = 0; i < image->n_records; i++) {
		struct kst_record *record = &image->records[i];

		record->base = kvcalloc(record->n, sizeof(u64), GFP_KERNEL);
		/* Room for the last sums, so that unloading cannot fail. */
		if (mod)
			record->kept = kvcalloc(record->n, sizeof(u64),
						GFP_KERNEL);
		if (!record->base || (mod && !record->kept)) {
			kst_image_free(image);
			return NULL;
		}
		kst_record_sum(record, record->base);
	}
	return image;
}

static void kst_image_add(const struct module *mod, struct kst_unit *units,
			  unsigned int n_units,
			  const struct kst_object *objects,
			  unsigned int n_objects)
{
	const char *name = mod ? mod->name : "vmlinux";
	struct kst_image *image;

	if (!n_units && !n_objects)
		return;
	if (!kst_versions_fit(units, n_units, objects, n_objects)) {
		pr_err("%s: counters of another version, not read\n", name);
		return;
	}
	mutex_lock(&kst_lock);
	image = kst_image_alloc(mod, units, n_units, objects, n_objects);
	if (image) {
		list_add_tail(&image->list, &kst_images);
		kst_pages_add(objects, n_objects);
	} else {
		pr_err("%s: no memory for its counters, not read\n", name);
	}
	mutex_unlock(&kst_lock);
}

#ifdef CONFIG_MODULES
/* What a module has counted stays in the profile. */
static void kst_module_gone(const struct module *mod)
{
	struct kst_image *image;
	unsigned int i;

	mutex_lock(&kst_lock);
	list_for_each_entry(image, &kst_images, list) {
		if (image->mod != mod)
			continue;
		kst_pages_remove(image->objects, image->n_objects);
		for (i = 0; i < image->n_records; i++) {
			struct kst_record *record = &image->records[i];

			kst_record_sum(record, record->kept);
			record->counts = NULL;
		}
		image->mod = NULL;
		image->objects = NULL;
		image->n_objects = 0;
	}
	mutex_unlock(&kst_lock);
}

static int kst_module_notify(struct notifier_block *nb, unsigned long state,
			     void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_COMING)
		kst_image_add(mod, mod->kst_units, mod->num_kst_units,
			      mod->kst_objects, mod->num_kst_objects);
	else if (state == MODULE_STATE_GOING)
		kst_module_gone(mod);
	return NOTIFY_OK;
}

static struct notifier_block kst_module_nb = {
	.notifier_call = kst_module_notify,
};
#endif

static int __init kst_init(void)
{
	kst_image_add(NULL, __start___kst_units,
		      __stop___kst_units - __start___kst_units,
		      __start___kst_objects,
		      __stop___kst_objects - __start___kst_objects);
	kst_counters_reset();
#ifdef CONFIG_MODULES
	return register_module_notifier(&kst_module_nb);
#else
	return 0;
#endif
}
early_initcall(kst_init);
