/* SPDX-License-Identifier: GPL-2.0-or-later */
static struct {
  char name[8];
  long length;
} queue;

long length(void) { return queue.length + queue.name[0]; }
