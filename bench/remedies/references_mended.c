/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: as references, mended. */
#include "run.h"

struct entry {
  void *next;
  unsigned long key;
  const char *name;
  long flags;
  char payload[96];
  long references;
};
#include "references.h"
