// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fields that one CPU writes while another reads their neighbours.

struct list { struct list *next, *prev; };
static inline int list_empty(const struct list *head)
{
	return *(struct list *const volatile *)&head->next == head;
}
static inline void list_add(struct list *entry, struct list *head)
{
	entry->next = head->next;
	head->next = entry;
}

struct shared {
	long counter;
	long limit;
	struct list waiting;
};
extern struct shared shared_instances __attribute__((section(".data..percpu")));
extern unsigned long __per_cpu_offset[64];
#define instance(cpu) \
	((struct shared *)((unsigned long)&shared_instances + __per_cpu_offset[cpu]))

static long read_counter(struct shared *s) { return s->counter; }
static int idle(struct shared *s) { return list_empty(&s->waiting); }

long sum(void)
{
	long n = 0;
	for (int cpu = 0; cpu < 64; cpu++)
		if (!idle(instance(cpu)))
			n += read_counter(instance(cpu)) + instance(cpu)->limit;
	return n;
}

void step(struct shared *s, struct list *entry)
{
	s->counter++;
	list_add(entry, &s->waiting);
}
