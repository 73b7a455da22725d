/* SPDX-License-Identifier: GPL-2.0-or-later */
#define __cacheline_group_begin(GROUP) \
	unsigned char __cacheline_group_begin__##GROUP[0]
#define __cacheline_group_end(GROUP) \
	unsigned char __cacheline_group_end__##GROUP[0]
