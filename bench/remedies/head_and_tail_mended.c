/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: as head_and_tail, mended. */
#include "run.h"

enum { SLOTS = 1024 };
struct ring {
  unsigned long head;
  unsigned long tail_seen;
  char apart[112];
  unsigned long tail;
  unsigned long head_seen;
  char apart_too[112];
  unsigned long *slots;
};
#include "ring.h"
