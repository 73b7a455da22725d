// SPDX-License-Identifier: GPL-2.0-or-later
/* What the owner of a lane does with it: queue, pick, block, tick. */
#include "lane.h"

struct lane lanes[MAX_LANES];
unsigned int nr_lanes;

static void refill_budget(struct lane *lane)
{
	lane->dl_budget = 50 * TICK;
	lane->dl_period_start = lane->clock;
	lane->dl_throttled = 0;
}

void lane_setup(struct lane *lane, unsigned int id, struct domain *domain)
{
	static const char digits[] = "0123456789abcdef";
	static struct task idle;

	pthread_spin_init(&lane->lock, PTHREAD_PROCESS_PRIVATE);
	lane->id = id;
	lane->domain = domain;
	lane->online = 1;
	lane->idle_task = &idle;
	lane->current = &idle;
	lane->capacity = 1024;
	lane->capacity_max = 1024;
	lane->imbalance_pct = 117;
	lane->balance_interval = domain->interval;
	lane->dl_period = 100 * TICK;
	lane->timer_fn = refill_budget;
	lane->max_search_cost = 500;
	for (int i = 0; i < 8; i++)
		lane->name[i] = digits[id >> (28 - 4 * i) & 15];
}

void lane_update_clock(struct lane *lane, uint64_t now)
{
	int64_t delta;

	if (lane->clock_flags & CLOCK_SKIP)
		return;
	delta = (int64_t)(now - lane->clock);
	if (delta <= 0)
		return;
	lane->clock = now;
	if (unlikely(lane->stolen_time)) {
		uint64_t stolen = lane->stolen_time;

		if (stolen > (uint64_t)delta)
			stolen = delta;
		lane->stolen_time -= stolen;
		delta -= stolen;
	}
	lane->clock_task += delta;
	lane->clock_load += delta * lane->capacity / 1024;
}

/* A decaying average, in steps of 1024 units of clock_load. */
static void update_load(struct lane *lane)
{
	uint64_t delta = lane->clock_load - lane->load_stamp;
	uint64_t periods;

	if (delta < 128)
		return;
	lane->load_stamp = lane->clock_load;
	delta += lane->load_period;
	periods = delta / 1024;
	lane->load_period = delta % 1024;
	if (periods) {
		if (periods > 32)
			periods = 32;
		lane->load_sum -= lane->load_sum * periods / 64;
		lane->load_sum += periods * lane->weight_sum;
		lane->load_avg = lane->load_sum / 64;
		lane->util_avg = (lane->util_avg * 7 +
				  (lane->nr_queued ? lane->capacity : 0)) / 8;
	}
	if (unlikely(atomic_load_explicit(&lane->removed_load,
					  memory_order_relaxed))) {
		unsigned long gone = atomic_exchange(&lane->removed_load, 0);

		lane->load_avg -= gone < lane->load_avg ? gone : lane->load_avg;
	}
}

static void add_task(struct lane *lane, struct task *task)
{
	task->next = 0;
	if (lane->head)
		lane->tail->next = task;
	else
		lane->head = task;
	lane->tail = task;
	lane->nr_queued++;
	lane->weight_sum += task->weight;
	lane->nr_pinned += task->pinned;
	lane->nr_background += task->background;
	if (unlikely(task->deadline)) {
		lane->dl_nr++;
		if (!lane->dl_earliest || task->deadline < lane->dl_earliest)
			lane->dl_earliest = task->deadline;
	}
}

/* The first task of the queue, or none; the caller holds the lock. */
struct task *lane_take(struct lane *lane)
{
	struct task *task = lane->head;

	if (!task)
		return 0;
	lane->head = task->next;
	lane->nr_queued--;
	lane->weight_sum -= task->weight;
	lane->nr_pinned -= task->pinned;
	lane->nr_background -= task->background;
	if (unlikely(task->deadline)) {
		if (!--lane->dl_nr)
			lane->dl_earliest = 0;
	}
	return task;
}

void lane_enqueue(struct lane *lane, struct task *task, uint64_t now)
{
	pthread_spin_lock(&lane->lock);
	lane_update_clock(lane, now);
	if (task->vtime < lane->min_vtime)
		task->vtime = lane->min_vtime;
	task->queued_at = lane->clock_task;
	add_task(lane, task);
	lane->stat_enqueued++;
	pthread_spin_unlock(&lane->lock);
}

/* A task that lane_block() took from this lane comes back. */
void lane_wake(struct lane *lane, struct task *task, uint64_t now)
{
	if (task->wants_io)
		atomic_fetch_sub(&lane->nr_iowait, 1);
	lane_enqueue(lane, task, now);
}

static void leave_idle(struct lane *lane)
{
	int64_t idle = (int64_t)(lane->clock - lane->idle_stamp);

	lane->avg_idle += (idle - (int64_t)lane->avg_idle) / 8;
	lane->clock_idle = lane->clock;
	lane->idle_stamp = 0;
}

static void run_next(struct lane *lane, struct task *task)
{
	if (!task) {
		lane->current = lane->idle_task;
		lane->idle_stamp = lane->clock;
		return;
	}
	if (lane->idle_stamp)
		leave_idle(lane);
	lane->stat_wait_time += lane->clock_task - task->queued_at;
	if (task->vtime > lane->min_vtime)
		lane->min_vtime = task->vtime;
	lane->current = task;
	lane->nr_switches++;
}

/* The current task has had its turn: it goes to the end, the next one runs. */
void lane_schedule(struct lane *lane, uint64_t now)
{
	struct task *last;

	pthread_spin_lock(&lane->lock);
	lane_update_clock(lane, now);
	last = lane->current;
	if (last != lane->idle_task) {
		last->vtime += TICK * 1024u / last->weight;
		last->queued_at = lane->clock_task;
		add_task(lane, last);
	}
	if (lane->wake_pending) {
		lane->wake_pending = 0;
		lane->stat_wakeups++;
	}
	run_next(lane, lane_take(lane));
	pthread_spin_unlock(&lane->lock);
}

/* The current task waits for something: it leaves the lane and is returned. */
struct task *lane_block(struct lane *lane, uint64_t now)
{
	struct task *task;

	pthread_spin_lock(&lane->lock);
	lane_update_clock(lane, now);
	update_load(lane);
	task = lane->current;
	if (task == lane->idle_task) {
		task = 0;
	} else {
		lane->stat_dequeued++;
		if (task->wants_io)
			atomic_fetch_add(&lane->nr_iowait, 1);
	}
	run_next(lane, lane_take(lane));
	pthread_spin_unlock(&lane->lock);
	return task;
}

static void check_deadlines(struct lane *lane)
{
	if (lane->clock - lane->dl_period_start > lane->dl_period)
		refill_budget(lane);
	if (lane->dl_budget < TICK)
		lane->dl_throttled = 1;
	else
		lane->dl_budget -= TICK;
}

void lane_tick(struct lane *lane, uint64_t now)
{
	pthread_spin_lock(&lane->lock);
	lane_update_clock(lane, now);
	update_load(lane);
	lane->stat_ticks++;
	lane->stat_run_time += TICK;
	lane->vtime_lag = (int64_t)(lane->current->vtime - lane->min_vtime);
	lane->misfit_load = lane->util_avg > lane->capacity ? lane->load_avg : 0;
	if (unlikely(lane->dl_nr))
		check_deadlines(lane);
	if (unlikely(lane->timer_armed) && lane->clock > lane->timer_next)
		lane->timer_fn(lane);
	if (lane->clock > lane->next_balance) {
		lane->next_balance = lane->clock + lane->balance_interval;
		lane->want_balance = 1;
	}
	pthread_spin_unlock(&lane->lock);
}
