/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of a kernel as kernel/kst/trace.c needs, on one CPU.
 */
#include "../slab/stub.h"

#include <errno.h>
#include <stdlib.h>

#define NR_CPUS 1
#define notrace
#define EXPORT_SYMBOL(name)
#define GENMASK_ULL(high, low) (~0ULL >> (63 - (high)) & ~0ULL << (low))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define this_cpu_add_return(x, n) ((x) += (n))
#define this_cpu_dec(x) (--(x))
#define per_cpu(x, cpu) (x)
#define for_each_possible_cpu(cpu) for (cpu = 0; cpu < 1; cpu++)
#define cpu_to_node(cpu) 0
#define vzalloc_node(size, node) calloc(1, size)
#define vfree(bytes) free(bytes)
#define mutex_lock(m)
#define mutex_unlock(m)
#define lockdep_assert_held(m)
#define synchronize_rcu_tasks()
#define synchronize_rcu()
#define preempt_disable_notrace()
#define preempt_enable_notrace()
#define in_nmi() (inside == 3)
#define in_hardirq() (inside == 2)
#define in_serving_softirq() (inside == 1)

static int inside;
static u64 now;

static inline u64 rdtsc(void)
{
	return ++now;
}
