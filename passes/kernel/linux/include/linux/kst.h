/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of accesses to chosen structs, placed by a compiler plugin.
 *
 * What instrumented code calls and refers to, and what the allocator of
 * objects tells. No other code includes this.
 */
#ifndef _LINUX_KST_H
#define _LINUX_KST_H

#include <linux/compiler.h>
#include <linux/kst_abi.h>

struct kmem_cache;

#ifdef CONFIG_KST

/* They keep all registers but r11, and the code around a call is better. */
#define __kst_called __attribute__((__preserve_most__))

extern struct kst_shadow __kst_shadow;

void __kst_called __kst_hit(u64 address, u64 how);
u64 __kst_called __kst_is_hit(u64 address, u64 how);
void __kst_called __kst_learn(u64 address, struct kst_type *type);
void __kst_trace(struct kst_unit *unit, u32 site, const void *address);

/*
 * An object for which the code at ip asked so many bytes was allocated, and
 * filled with zeros or not; an object is freed by the code at ip, its contents
 * still in place.
 */
void kst_slab_alloc(struct kmem_cache *s, void *object, bool zeroed,
		    size_t asked, unsigned long ip);
void kst_slab_free(struct kmem_cache *s, void *object, unsigned long ip);

#else

static inline void kst_slab_alloc(struct kmem_cache *s, void *object,
				  bool zeroed, size_t asked, unsigned long ip)
{
}

static inline void kst_slab_free(struct kmem_cache *s, void *object,
				 unsigned long ip)
{
}

#endif

#endif /* _LINUX_KST_H */
