// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace mode: a buffer of events for each CPU, filled once and then full.
 *
 * A slot is reserved by one xadd on a variable of the CPU, which also tells
 * whose CPU it is: exact under interrupts, NMIs and migration, without a lock
 * or a call, so that it may run anywhere, also between STAC and CLAC. What
 * finds no slot is counted as lost. Events of one CPU stand in the order their
 * slots were reserved; their times come from the time stamp counter.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <asm/msr.h>

#include "internal.h"

#define KST_CPU_SHIFT 40
#define KST_SLOT_MASK ((1ULL << KST_CPU_SHIFT) - 1)

/* CPU << KST_CPU_SHIFT | slots reserved since the start, full or not */
static DEFINE_PER_CPU(u64, kst_trace_next);
static struct kst_event *kst_trace_events[NR_CPUS];

/* Slots of each buffer while tracing, else 0. */
static u64 kst_trace_open_slots;

/* Protected by kst_lock. */
static u64 kst_trace_kb = 4096;
static u64 kst_trace_slots;
static unsigned int kst_trace_readers;

static __always_inline u64 kst_trace_context(void)
{
	return in_nmi() ? KST_CONTEXT_NMI :
	       in_hardirq() ? KST_CONTEXT_HARDIRQ :
	       in_serving_softirq() ? KST_CONTEXT_SOFTIRQ : KST_CONTEXT_TASK;
}

static __always_inline void kst_trace_put(struct kst_event *event, u64 address,
					  u32 site)
{
	u64 time = rdtsc();

	event->where = (address & GENMASK_ULL(47, 0)) | time << 48;
	event->what = (site & GENMASK_ULL(23, 0)) |
		      (time >> 16 & GENMASK_ULL(37, 0)) << 24 |
		      kst_trace_context() << 62;
}

notrace void __kst_trace(struct kst_unit *unit, u32 site, const void *address)
{
	u64 slots = READ_ONCE(kst_trace_open_slots);
	u64 at;

	if (!slots)
		return;
	at = this_cpu_add_return(kst_trace_next, 1) - 1;
	if ((at & KST_SLOT_MASK) >= slots)
		return;
	kst_trace_put(kst_trace_events[at >> KST_CPU_SHIFT] +
			      (at & KST_SLOT_MASK),
		      (u64)address, unit->trace_base + site);
}
EXPORT_SYMBOL(__kst_trace);

notrace void kst_trace_life(u32 what, u64 address,
			    const struct kst_life *life)
{
	u64 slots, at, slot;
	void *event;

	/* What is lost is taken back on the CPU that counted it. */
	preempt_disable_notrace();
	slots = READ_ONCE(kst_trace_open_slots);
	if (!slots)
		goto out;
	at = this_cpu_add_return(kst_trace_next, 2) - 2;
	slot = at & KST_SLOT_MASK;
	if (slot >= slots) {
		/* One event is lost, not two. */
		this_cpu_dec(kst_trace_next);
		goto out;
	}
	event = kst_trace_events[at >> KST_CPU_SHIFT] + slot;
	/* In the last slot: the other one counts as lost. */
	if (slot + 1 == slots)
		what = KST_LIFE_NONE;
	else
		memcpy(event + sizeof(struct kst_event), life, sizeof(*life));
	kst_trace_put(event, address, what);
out:
	preempt_enable_notrace();
}

static void kst_trace_stop_locked(void)
{
	lockdep_assert_held(&kst_lock);
	WRITE_ONCE(kst_trace_open_slots, 0);
	/* Who has seen that it was on has written its event after this. */
	synchronize_rcu_tasks();
	synchronize_rcu();
}

void kst_trace_stop(void)
{
	mutex_lock(&kst_lock);
	kst_trace_stop_locked();
	mutex_unlock(&kst_lock);
}

bool kst_trace_running(void)
{
	return READ_ONCE(kst_trace_open_slots);
}

static void kst_trace_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(kst_trace_events[cpu]);
		kst_trace_events[cpu] = NULL;
	}
	kst_trace_slots = 0;
}

static int kst_trace_alloc(void)
{
	u64 slots = kst_trace_kb * 1024 / sizeof(struct kst_event);
	unsigned int cpu;

	if (kst_trace_slots == slots)
		return 0;
	kst_trace_free();
	for_each_possible_cpu(cpu) {
		kst_trace_events[cpu] = vzalloc_node(slots * sizeof(struct kst_event),
						     cpu_to_node(cpu));
		if (!kst_trace_events[cpu]) {
			kst_trace_free();
			return -ENOMEM;
		}
	}
	kst_trace_slots = slots;
	return 0;
}

int kst_trace_start(void)
{
	unsigned int cpu;
	int err;

	mutex_lock(&kst_lock);
	kst_trace_stop_locked();
	err = kst_trace_readers ? -EBUSY : kst_trace_alloc();
	if (!err) {
		for_each_possible_cpu(cpu)
			per_cpu(kst_trace_next, cpu) = (u64)cpu << KST_CPU_SHIFT;
		/* Buffers and positions before the size that opens them. */
		smp_store_release(&kst_trace_open_slots, kst_trace_slots);
	}
	mutex_unlock(&kst_lock);
	return err;
}

int kst_trace_set_size(u64 kb)
{
	if (!kb || kb > 1 << 26)
		return -EINVAL;
	mutex_lock(&kst_lock);
	kst_trace_kb = kb;
	mutex_unlock(&kst_lock);
	return 0;
}

u64 kst_trace_get_size(void)
{
	return kst_trace_kb;
}

static u64 kst_trace_used(unsigned int cpu, u64 *lost)
{
	u64 next = READ_ONCE(per_cpu(kst_trace_next, cpu)) & KST_SLOT_MASK;
	u64 used = min(next, kst_trace_slots);

	*lost = next - used;
	return used;
}

void kst_trace_state(u64 *events, u64 *lost)
{
	unsigned int cpu;
	u64 more;

	*events = *lost = 0;
	mutex_lock(&kst_lock);
	for_each_possible_cpu(cpu) {
		*events += kst_trace_used(cpu, &more);
		*lost += more;
	}
	mutex_unlock(&kst_lock);
}

void kst_trace_hold(void)
{
	kst_trace_stop_locked();
	kst_trace_readers++;
}

void kst_trace_release(void)
{
	mutex_lock(&kst_lock);
	kst_trace_readers--;
	mutex_unlock(&kst_lock);
}

const struct kst_event *kst_trace_buffer(unsigned int cpu, u64 *used, u64 *lost)
{
	*used = kst_trace_used(cpu, lost);
	return kst_trace_events[cpu];
}
