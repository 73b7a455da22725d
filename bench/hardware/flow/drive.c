// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The worker handles packets of known flows: half of them belong to an eighth
 * of the flows. The scanner looks through all flows and restarts old ones.
 */
#include "../run.h"
#include "flow.h"

/* The time for all who need not know it exactly. */
static uint64_t coarse_clock;

static void make_key(unsigned int number, struct packet *packet)
{
	packet->src = 0x0a000000u + number;
	packet->dst = 0xc0a80000u + number % 251;
	packet->sport = 1024 + number % 60000;
	packet->dport = number % 3 ? 443 : 80;
	packet->proto = PROTO_TCP;
}

void one_event(struct role *self)
{
	uint64_t random = next_random(self);
	unsigned int number = (random >> 8) % (random & 1 ? nr_flows : nr_flows / 8);
	struct packet packet = {0};

	self->now++;
	if (self->now % 64 == 0)
		WRITE_ONCE(coarse_clock, self->now);
	make_key(number, &packet);
	packet.dir = random >> 1 & 1;
	packet.length = 64 + (random >> 40) % 1400;
	packet.seq = (uint32_t)self->now;
	packet.ack = (uint32_t)self->now;
	packet.window = 65535;
	packet.tcp_flags = (random >> 2 & 1023) == 0 ? TCP_FIN : 0;
	packet.dscp = (random >> 30 & 63) == 0;
	flow_packet(&packet, self->now);
}

void one_scan(struct role *self)
{
	self->now = READ_ONCE(coarse_clock);
	self->seen += flow_expire(self->now);
}

int set_up(unsigned int count)
{
	struct packet packet = {0};

	if (count < 8 || count > MAX_FLOWS)
		return 0;
	nr_flows = count;
	for (unsigned int i = 0; i < count; i++) {
		make_key(i, &packet);
		flow_create(&flows[i], &packet, 0);
		flows[i].loose = 1;
		if (i % 4 == 0)
			flows[i].flags |= FLOW_NAT;
		if (i % 3 == 0)
			flows[i].flags |= FLOW_SHAPED;
	}
	return 1;
}

uint64_t print_sum(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr_flows; i++)
		sum = sum * 31 + flows[i].bytes[0] + flows[i].last_seen +
		      flows[i].tokens + flows[i].stat_max_gap;
	return sum;
}
