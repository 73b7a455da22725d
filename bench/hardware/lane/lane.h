/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The struct under test: one lane of a small task executor. Each worker thread
 * owns lanes, as a CPU owns its run queue; other threads look at them to
 * balance load, wake tasks on them and now and then steal one.
 *
 * The fields stand in the order in which such a struct grows: each feature
 * brought its block, late additions went where there was room or where they
 * fit the topic. Nobody sorted them, for better or for worse.
 */
#ifndef LANE_H
#define LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define LANE_NAME 16

struct task {
	struct task *next;
	uint64_t vtime;
	uint64_t queued_at;
	uint64_t deadline;	/* 0: none */
	uint32_t weight;
	uint8_t pinned;
	uint8_t background;
	uint8_t wants_io;
};

struct domain {
	unsigned int first;
	unsigned int count;
	uint64_t interval;
};

struct lane {
	/* the queue */
	pthread_spinlock_t lock;
	unsigned int nr_queued;
	struct task *head;
	struct task *tail;
	unsigned int id;
	unsigned int flags;
	struct task *current;
	struct task *idle_task;
	unsigned long nr_switches;

	/* shares */
	unsigned long weight_sum;
	uint64_t min_vtime;
	int64_t vtime_lag;
	unsigned int nr_background;
	unsigned int nr_pinned;

	/* deadline tasks */
	uint64_t dl_earliest;
	unsigned int dl_nr;
	int dl_throttled;
	uint64_t dl_budget;
	uint64_t dl_period;
	uint64_t dl_period_start;

	/* place in the machine */
	unsigned int node;
	int online;
	struct domain *domain;
	unsigned long capacity;
	unsigned long capacity_max;

	/* clocks */
	unsigned int clock_flags;
	uint64_t clock;
	uint64_t clock_task;
	uint64_t clock_load;
	uint64_t stolen_time;
	uint64_t clock_idle;

	/* tasks that left this lane to wait for a device; woken from anywhere */
	atomic_uint nr_iowait;

	/* load tracking */
	unsigned int load_period;
	uint64_t load_stamp;
	uint64_t load_sum;
	unsigned long load_avg;
	unsigned long util_avg;
	atomic_ulong removed_load;
	unsigned int wake_pending;

	/* balancing */
	unsigned int balance_failed;
	uint64_t next_balance;
	uint64_t balance_interval;
	unsigned long misfit_load;
	int push_target;
	unsigned char want_balance;
	unsigned char imbalance_pct;
	uint64_t idle_stamp;
	uint64_t avg_idle;
	uint64_t max_search_cost;
	struct lane *last_victim;

	/* timer */
	uint64_t timer_next;
	void (*timer_fn)(struct lane *lane);
	unsigned int timer_armed;
	unsigned int timer_missed;

	/* statistics */
	unsigned long stat_enqueued;
	unsigned long stat_dequeued;
	unsigned long stat_wakeups;
	unsigned long stat_stolen;
	unsigned long stat_ticks;
	uint64_t stat_wait_time;
	uint64_t stat_run_time;

	/* set up once */
	char name[LANE_NAME];
	uint64_t created_at;
	void *trace_buffer;
	unsigned int trace_mask;
	unsigned int trace_lost;
} __attribute__((aligned(64)));

#define MAX_LANES 8192
#define LANE_OFFLINE 1u
#define CLOCK_SKIP 1u
#define TICK 1000u

extern struct lane lanes[MAX_LANES];
extern unsigned int nr_lanes;

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define unlikely(x) __builtin_expect(!!(x), 0)

/* lane.c: what the owner does. Each takes the lane's lock. */
void lane_setup(struct lane *lane, unsigned int id, struct domain *domain);
void lane_enqueue(struct lane *lane, struct task *task, uint64_t now);
void lane_wake(struct lane *lane, struct task *task, uint64_t now);
void lane_schedule(struct lane *lane, uint64_t now);
struct task *lane_block(struct lane *lane, uint64_t now);
void lane_tick(struct lane *lane, uint64_t now);

/* lane.c: for who holds the lock */
void lane_update_clock(struct lane *lane, uint64_t now);
struct task *lane_take(struct lane *lane);

/* balance.c: what other threads do */
int lane_is_idle(struct lane *lane);
struct lane *find_busiest(struct lane *thief);
struct task *lane_steal(struct lane *victim, uint64_t now);
void lane_wake_remote(struct lane *lane, struct task *task, uint64_t now);

#endif
