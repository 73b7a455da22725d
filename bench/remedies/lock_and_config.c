/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread counts under what another one reads: one line holds both. */
#include "run.h"

struct shared {
  long lock;
  long spare;
  long config;
  long more;
};
#include "writer_and_reader.h"
