// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two functions of a guest's program between which is recorded: their section
// is linked at a fixed address, so that a recorder can see them executed.

#ifndef KST_BENCH_RECORDER_MARKS_H
#define KST_BENCH_RECORDER_MARKS_H

__attribute__((noinline, section(".mark"), aligned(64))) static void
mark_start(void) {
  __asm__ volatile("nop");
}
__attribute__((noinline, section(".mark"), aligned(64))) static void
mark_stop(void) {
  __asm__ volatile("nop; nop");
}

#endif
