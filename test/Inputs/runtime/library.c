/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An instrumented shared library for situations.c. */
#include "handmade.h"

UNIT(lib, 0x3333, 1)

void *count_in_library(void *unused) {
  for (int i = 0; i < 10; ++i)
    lib_count(0);
  return unused;
}

/* After the program's own end, and before a dlclose is done. */
__attribute__((destructor)) static void count_when_it_goes(void) {
  if (lib_block.block.attached)
    lib_count(0);
}
