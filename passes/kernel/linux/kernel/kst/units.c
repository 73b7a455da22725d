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
u64 kst_hash(const char *text)
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

/* What the sections of vmlinux or of a module have. */
struct kst_found {
	const char *name;
	struct kst_unit *units;
	const struct kst_object *objects;
	struct kst_type *types;
	unsigned int n_units;
	unsigned int n_objects;
	unsigned int n_types;
};

static bool kst_versions_fit(const struct kst_found *found)
{
	unsigned int i;

	for (i = 0; i < found->n_units; i++)
		if (found->units[i].version != KST_ABI_VERSION)
			return false;
	for (i = 0; i < found->n_objects; i++)
		if (found->objects[i].version != KST_ABI_VERSION)
			return false;
	for (i = 0; i < found->n_types; i++)
		if (found->types[i].version != KST_ABI_VERSION)
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
kst_image_alloc(const struct module *mod, const struct kst_found *found)
{
	struct kst_image *image;
	unsigned int i;

	image = kvzalloc(struct_size(image, records, found->n_units),
			 GFP_KERNEL);
	if (!image)
		return NULL;
	image->mod = mod;
	image->objects = found->objects;
	image->n_objects = found->n_objects;
	image->n_records = found->n_units;
	for (i = 0; i < found->n_units; i++)
		kst_unit_record(&image->records[i], &found->units[i]);
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

static void kst_types_add(struct kst_type *types, unsigned int n)
{
	for (; n; n--, types++) {
		u32 number = kst_struct_number(types->name, types->size);

		kst_struct_members(number, types->offsets, types->n_offsets);
		/* From now on, objects of it are learned. */
		smp_store_release(&types->number, number);
	}
}

static void kst_image_add(const struct module *mod,
			  const struct kst_found *found)
{
	struct kst_image *image;

	if (!found->n_units && !found->n_objects)
		return;
	if (!kst_versions_fit(found)) {
		pr_err("%s: counters of another version, not read\n",
		       found->name);
		return;
	}
	mutex_lock(&kst_lock);
	image = kst_image_alloc(mod, found);
	if (image) {
		list_add_tail(&image->list, &kst_images);
		kst_types_add(found->types, found->n_types);
		kst_pages_add(found->objects, found->n_objects);
	} else {
		pr_err("%s: no memory for its counters, not read\n",
		       found->name);
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
	struct kst_found found = {
		.name = mod->name,
		.units = mod->kst_units, .n_units = mod->num_kst_units,
		.objects = mod->kst_objects, .n_objects = mod->num_kst_objects,
		.types = mod->kst_types, .n_types = mod->num_kst_types,
	};

	if (state == MODULE_STATE_COMING)
		kst_image_add(mod, &found);
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
	struct kst_found found = {
		.name = "vmlinux",
		.units = __start___kst_units,
		.n_units = __stop___kst_units - __start___kst_units,
		.objects = __start___kst_objects,
		.n_objects = __stop___kst_objects - __start___kst_objects,
		.types = __start___kst_types,
		.n_types = __stop___kst_types - __start___kst_types,
	};

	if ((found.n_objects || found.n_types) && kst_shadow_init())
		pr_err("no memory for the shadow, nothing is counted by address\n");
	kst_image_add(NULL, &found);
	kst_counters_reset();
#ifdef CONFIG_MODULES
	return register_module_notifier(&kst_module_nb);
#else
	return 0;
#endif
}
early_initcall(kst_init);
