/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A module with arrays of elements that share lines. */
struct pair {
  unsigned long a, b;
};
struct pair by_cpu[64];
static unsigned long by_hash[32];
static int only_read[32] = {1};
extern int cpu(void);

void count(void) { by_cpu[cpu()].a++; }
void add(int at) { by_hash[at & 31]++; }
unsigned long get(int at) { return by_hash[at & 31] + only_read[at & 31]; }
static char module[64]
    __attribute__((section(".gnu.linkonce.this_module"), used));
