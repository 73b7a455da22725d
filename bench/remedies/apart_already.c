/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: as lock_and_config, mended. */
#include "run.h"

struct shared {
  long lock;
  char apart[120];
  long config;
  long more;
};
#include "writer_and_reader.h"
