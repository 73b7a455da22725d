/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References are taken beside what every lookup reads. */
#include "run.h"

struct entry {
  void *next;
  unsigned long key;
  long references;
  const char *name;
  long flags;
  char payload[96];
};
#include "references.h"
