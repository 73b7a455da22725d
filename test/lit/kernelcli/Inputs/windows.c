// SPDX-License-Identifier: GPL-2.0-or-later
// windows CONF OUT: accesses with known lines.
#include "objects.h"
#include "windows.h"

#include <stdio.h>
#include <stdlib.h>

void fail(const char *what, const char *name) {
  fprintf(stderr, "%s %s\n", what, name);
  exit(1);
}

void *zeros(uint64_t number, uint64_t size) { return calloc(number, size); }

int main(int argc, char **argv) {
  struct range range = {.begin = 0x1020,
                        .end = 0x1120,
                        .stride = 128,
                        .next = NULL,
                        .id = 0,
                        .cpu = NO_CPU,
                        .note = 0};
  if (argc != 3)
    return 2;
  windows_init(argv[1]);
  windows_access(0, 1, &range, 0x1020, 4);
  windows_access(0, 2, &range, 0x1060, 8);
  windows_access(0, 3, &range, 0x1064, 4);
  windows_access(0, 6, &range, 0x103c, 8);
  windows_access(0, 7, &range, 0x10a0, 1);
  windows_access(1, 1, &range, 0x1020, 4);
  windows_write(argv[2]);
}
