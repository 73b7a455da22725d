// SPDX-License-Identifier: GPL-2.0-or-later
/* What other threads do with a lane: look at its load, wake, steal. */
#include "lane.h"

int lane_is_idle(struct lane *lane)
{
	return READ_ONCE(lane->current) == lane->idle_task &&
	       !READ_ONCE(lane->nr_queued) && !READ_ONCE(lane->wake_pending);
}

/* Reads the load of every lane without a lock. */
struct lane *find_busiest(struct lane *thief)
{
	struct lane *busiest = 0;
	unsigned long most = 0, sum = 0, idle = 0;

	for (unsigned int i = 0; i < nr_lanes; i++) {
		struct lane *lane = &lanes[i];
		unsigned long load;

		if (unlikely(lane->flags & LANE_OFFLINE))
			continue;
		if (lane_is_idle(lane)) {
			idle++;
			continue;
		}
		load = READ_ONCE(lane->load_avg) * 1024 / lane->capacity;
		load += READ_ONCE(lane->misfit_load);
		sum += READ_ONCE(lane->util_avg);
		if (READ_ONCE(lane->nr_queued) <= READ_ONCE(lane->nr_pinned))
			continue;
		if (lane != thief && load > most) {
			most = load;
			busiest = lane;
		}
	}
	if (sum / (nr_lanes + idle) * thief->imbalance_pct / 100 > most * 64)
		return 0;
	return busiest;
}

struct task *lane_steal(struct lane *victim, uint64_t now)
{
	struct task *task;

	pthread_spin_lock(&victim->lock);
	lane_update_clock(victim, now);
	task = lane_take(victim);
	if (task) {
		atomic_fetch_add(&victim->removed_load, task->weight / 64);
		victim->stat_stolen++;
		victim->balance_failed = 0;
	} else {
		victim->balance_failed++;
	}
	pthread_spin_unlock(&victim->lock);
	return task;
}

void lane_wake_remote(struct lane *lane, struct task *task, uint64_t now)
{
	lane_wake(lane, task, now);
	WRITE_ONCE(lane->wake_pending, 1);
}
