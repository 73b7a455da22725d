// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The worker runs its own lanes: ticks, schedules, blocks and wakes, in random
 * order. The scanner looks at all lanes without a lock; every 16th time that
 * it finds a busy one it steals a task from it, runs it on a lane of its own
 * and wakes it on another lane.
 */
#include "../run.h"
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#define TASKS_PER_LANE 3
#define PARKED 64

static struct domain machine;
static struct task *parked[PARKED];
static struct lane *parked_from[PARKED];
static unsigned int nr_parked;

/* A lane of the worker: all but the first, which is the scanner's. */
static struct lane *own_lane(struct role *self)
{
	return &lanes[1 + next_random(self) % (nr_lanes - 1)];
}

void one_event(struct role *self)
{
	struct lane *lane = own_lane(self);
	struct task *task;

	self->now += TICK / 4;
	switch (next_random(self) & 7) {
	case 0:
		if (nr_parked == PARKED)
			break;
		task = lane_block(lane, self->now);
		if (task) {
			parked[nr_parked] = task;
			parked_from[nr_parked++] = lane;
		}
		break;
	case 1:
		if (!nr_parked)
			break;
		nr_parked--;
		lane_wake(parked_from[nr_parked], parked[nr_parked], self->now);
		break;
	case 2:
	case 3:
	case 4:
		lane_tick(lane, self->now);
		break;
	default:
		lane_schedule(lane, self->now);
		break;
	}
}

void one_scan(struct role *self)
{
	struct lane *home = &lanes[0];
	struct lane *busiest = find_busiest(home);
	struct task *task;

	self->now += TICK;
	self->seen += busiest != 0;
	if (!busiest || next_random(self) % 16)
		return;
	task = lane_steal(busiest, self->now);
	if (!task)
		return;
	lane_enqueue(home, task, self->now);
	lane_schedule(home, self->now);
	lane_tick(home, self->now);
	task = lane_block(home, self->now);
	if (task)
		lane_wake_remote(own_lane(self), task, self->now);
}

static int add_tasks(void)
{
	unsigned int count = nr_lanes * TASKS_PER_LANE;
	char *tasks = aligned_alloc(64, 64ul * count);

	if (!tasks)
		return 0;
	memset(tasks, 0, 64ul * count);
	for (unsigned int i = 0; i < count; i++) {
		struct task *task = (struct task *)(tasks + 64ul * i);

		task->weight = 512 + i * 2654435761u % 1024;
		task->pinned = i % 5 == 0;
		task->background = i % 7 == 0;
		task->wants_io = i % 3 == 0;
		lane_enqueue(&lanes[i % nr_lanes], task, 0);
	}
	return 1;
}

int set_up(unsigned int count)
{
	if (count < 2 || count > MAX_LANES)
		return 0;
	nr_lanes = count;
	machine.count = count;
	machine.interval = 32 * TICK;
	for (unsigned int i = 0; i < count; i++)
		lane_setup(&lanes[i], i, &machine);
	return add_tasks();
}

uint64_t print_sum(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr_lanes; i++) {
		struct lane *lane = &lanes[i];

		sum = sum * 31 + lane->clock_task + lane->nr_switches +
		      lane->load_sum + lane->stat_wait_time;
	}
	return sum;
}
