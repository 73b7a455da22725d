# SPDX-License-Identifier: GPL-2.0-or-later
# Code as the pass leaves it: one function in @SECTION@ (put in by sed), one
# where counting is allowed. Written by hand.
	.section	@SECTION@,"ax",@progbits
	.type	first,@function
first:
	ret
	.type	forbidden,@function
forbidden:
	nop
	incq	%gs:counters+8(%rip)
	ret

	.text
	.type	allowed,@function
allowed:
	incq	%gs:counters(%rip)
	ret

	.section	.data..percpu..kst,"aw",@progbits
counters:
	.zero	16
