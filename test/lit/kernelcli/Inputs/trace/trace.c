// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in a buffer that gets full: accesses take a slot, lives two.
 */
#include <stdio.h>

#include "kernel/kst/trace.c"

struct mutex kst_lock;
static struct kst_unit unit = { .trace_base = 10 };

static void show(const char *title)
{
	u64 used, lost, i;
	const struct kst_event *events = kst_trace_buffer(0, &used, &lost);

	printf("%s: %lu slots, %lu lost;", title, used, lost);
	for (i = used - 3; i < used; i++) {
		u32 site = events[i].what & 0xffffff;

		printf(" %u.%lu", site, events[i].what >> 62);
		if (site == KST_LIFE_ALLOC || site == KST_LIFE_FREE)
			printf("(%lx %lx)", events[i + 1].where,
			       events[i + 1].what), i++;
	}
	printf("\n");
}

/* A kilobyte: 64 slots, the first so many full. */
static void begin(int accesses)
{
	kst_trace_start();
	while (accesses--)
		__kst_trace(&unit, 1, 0);
}

int main(void)
{
	const struct kst_life life = { 0x1000, 24, 7 };

	kst_trace_set_size(1);
	kst_trace_life(KST_LIFE_ALLOC, 0x2000, &life);
	begin(62);
	inside = 2;
	kst_trace_life(KST_LIFE_ALLOC, 0x2000, &life);
	show("fits");
	kst_trace_life(KST_LIFE_FREE, 0x2000, &life);
	__kst_trace(&unit, 1, 0);
	show("full");
	begin(63);
	inside = 0;
	kst_trace_life(KST_LIFE_ALLOC, 0x2000, &life);
	show("half fits");
	kst_trace_life(KST_LIFE_FREE, 0x2000, &life);
	show("full");
	return 0;
}
