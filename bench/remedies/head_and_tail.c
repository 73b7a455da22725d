/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of one producer and one consumer: each has an index, and its own copy
 * of the other's. */
#include "run.h"

enum { SLOTS = 1024 };
struct ring {
  unsigned long head;
  unsigned long tail_seen;
  unsigned long tail;
  unsigned long head_seen;
  unsigned long *slots;
};
#include "ring.h"
