/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an instrumented program may call itself; without these calls the
 * counts are written when it ends. Link with libkst_rt.a.
 */
#ifndef KST_H
#define KST_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes what was counted since the start, or since kst_reset(), to the file
 * that KST_FILE names; a later dump of the same process replaces it as a
 * whole. Threads may count meanwhile, and it may be called in a signal
 * handler. 0, or -1 with errno set after a message on stderr; a file that was
 * there before is then as it was. A child of vfork() writes nothing: 0.
 */
int kst_dump(void);

/* Counts start again at zero, those of all threads. Never waits for them. */
void kst_reset(void);

#ifdef __cplusplus
}
#endif
#endif
