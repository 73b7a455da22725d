/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: as statistics, mended. */
#include "run.h"

struct device {
  unsigned int mtu;
  unsigned int features;
  void *queue;
  unsigned long drops;
  char name[32];
  unsigned long limit;
  char cold[64];
  unsigned long packets;
  unsigned long bytes;
};
#include "device.h"
