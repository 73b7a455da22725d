/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker's counters lie among the settings of another one. */
#include "run.h"

struct device {
  unsigned long packets;
  unsigned long bytes;
  unsigned int mtu;
  unsigned int features;
  void *queue;
  unsigned long drops;
  char name[32];
  unsigned long limit;
  char cold[64];
};
#include "device.h"
