/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of accesses to chosen structs, placed by a compiler plugin.
 *
 * What instrumented code calls and refers to. No other code includes this.
 */
#ifndef _LINUX_KST_H
#define _LINUX_KST_H

#include <linux/kst_abi.h>

extern struct kst_page __kst_pages[(1 << KST_PAGE_BITS) * KST_PAGE_WAYS];

void __kst_trace(struct kst_unit *unit, u32 site, const void *address);

#endif /* _LINUX_KST_H */
