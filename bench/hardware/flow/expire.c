// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks through all flows for those that have ended. */
#include "flow.h"

static void export_record(struct flow *flow, uint64_t now)
{
	uint64_t bytes = flow->bytes[0] + flow->bytes[1];

	if (bytes - flow->exported_bytes < 1000)
		return;
	flow->exported_bytes = bytes;
	flow->exported_at = now;
	flow->export_seq++;
}

/* The entry is used again for the same key: as if the flow began anew. */
static void restart(struct flow *flow, uint64_t now)
{
	pthread_spin_lock(&flow->lock);
	export_record(flow, now);
	flow->state = NEW;
	flow->close_flags = 0;
	flow->timeout = 8 * nr_flows;
	flow->last_seen = now;
	flow->generation++;
	pthread_spin_unlock(&flow->lock);
}

unsigned int flow_expire(uint64_t now)
{
	unsigned int ended = 0;

	for (unsigned int i = 0; i < nr_flows; i++) {
		struct flow *flow = &flows[i];
		uint64_t last = READ_ONCE(flow->last_seen);

		if (flow->flags & FLOW_DEAD)
			continue;
		if ((int64_t)(now - last) < READ_ONCE(flow->timeout))
			continue;
		if (!atomic_load_explicit(&flow->users, memory_order_relaxed))
			continue;
		restart(flow, now);
		ended++;
	}
	return ended;
}
