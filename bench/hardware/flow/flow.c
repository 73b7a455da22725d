// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens to a flow when a packet comes. */
#include "flow.h"

struct flow flows[MAX_FLOWS];
struct flow *buckets[MAX_FLOWS];
unsigned int nr_flows;

unsigned int flow_hash(uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport)
{
	uint64_t h = (uint64_t)(src ^ dst) << 32 | (uint32_t)(sport ^ dport);

	h *= 0x9e3779b97f4a7c15u;
	return (h >> 40) % nr_flows;
}

static int same_key(const struct flow *flow, const struct packet *packet)
{
	return flow->src == packet->src && flow->dst == packet->dst &&
	       flow->sport == packet->sport && flow->dport == packet->dport &&
	       flow->proto == packet->proto;
}

struct flow *flow_find(const struct packet *packet)
{
	unsigned int bucket = flow_hash(packet->src, packet->dst, packet->sport, packet->dport);
	struct flow *flow;

	for (flow = buckets[bucket]; flow; flow = flow->next)
		if (same_key(flow, packet))
			return flow;
	return 0;
}

void flow_create(struct flow *flow, const struct packet *packet, uint64_t now)
{
	unsigned int bucket = flow_hash(packet->src, packet->dst, packet->sport, packet->dport);

	pthread_spin_init(&flow->lock, PTHREAD_PROCESS_PRIVATE);
	atomic_init(&flow->users, 1);
	flow->src = packet->src;
	flow->dst = packet->dst;
	flow->sport = packet->sport;
	flow->dport = packet->dport;
	flow->proto = packet->proto;
	flow->family = 4;
	flow->created_at = now;
	flow->last_seen = now;
	flow->timeout = 8 * nr_flows;
	flow->rate = 1000;
	flow->burst = 100000;
	flow->tokens = 100000;
	flow->token_stamp = now;
	flow->generation++;
	flow->window[0] = flow->window[1] = 65535;
	flow->next = buckets[bucket];
	buckets[bucket] = flow;
}

static void track_state(struct flow *flow, const struct packet *packet, uint64_t now)
{
	if (unlikely(packet->tcp_flags & TCP_RST)) {
		flow->state = CLOSED;
		flow->dead_at = now;
		flow->timeout = nr_flows;
		return;
	}
	if (unlikely(packet->tcp_flags & TCP_SYN)) {
		flow->state = OPENING;
		flow->window_scale[packet->dir] = 7;
		flow->timeout = nr_flows;
		return;
	}
	if (unlikely(packet->tcp_flags & TCP_FIN)) {
		flow->close_flags |= 1 << packet->dir;
		flow->state = flow->close_flags == 3 ? CLOSED : CLOSING;
		flow->timeout = nr_flows;
		return;
	}
	if (flow->state < OPEN) {
		flow->state = OPEN;
		flow->timeout = 8 * nr_flows;
	}
}

static int track_sequence(struct flow *flow, const struct packet *packet)
{
	unsigned int dir = packet->dir;
	uint32_t end = packet->seq + packet->length;

	if (!flow->loose && (int32_t)(packet->seq - flow->seq_acked[dir]) >
	    (int32_t)(flow->window[!dir] << flow->window_scale[!dir])) {
		flow->stat_out_of_window++;
		return -1;
	}
	if ((int32_t)(end - flow->seq_next[dir]) > 0)
		flow->seq_next[dir] = end;
	else
		flow->stat_retransmitted++;
	flow->seq_acked[!dir] = packet->ack;
	flow->window[dir] = packet->window;
	return 0;
}

static int shape(struct flow *flow, const struct packet *packet, uint64_t now)
{
	flow->tokens += (now - flow->token_stamp) * flow->rate;
	if (flow->tokens > flow->burst)
		flow->tokens = flow->burst;
	flow->token_stamp = now;
	if (flow->tokens < packet->length) {
		flow->stat_shaped++;
		return -1;
	}
	flow->tokens -= packet->length;
	return 0;
}

static void account(struct flow *flow, const struct packet *packet, uint64_t now)
{
	uint64_t gap = now - flow->last_seen;

	flow->packets[packet->dir]++;
	flow->bytes[packet->dir] += packet->length;
	if (unlikely(!flow->first_byte_at))
		flow->first_byte_at = now;
	if (gap > flow->stat_max_gap)
		flow->stat_max_gap = gap;
	flow->stat_avg_size += ((int32_t)packet->length - (int32_t)flow->stat_avg_size) / 16;
	if (unlikely(packet->dscp & DSCP_ECN))
		flow->stat_ecn++;
}

static void translate(struct flow *flow, struct packet *packet)
{
	if (packet->dir) {
		packet->dst = flow->nat_dst;
		packet->dport = flow->nat_dport;
	} else {
		packet->src = flow->nat_src;
		packet->sport = flow->nat_sport;
		packet->seq += flow->nat_seq_delta;
	}
}

int flow_packet(struct packet *packet, uint64_t now)
{
	struct flow *flow = flow_find(packet);
	int drop = 0;

	if (unlikely(!flow) || (flow->flags & FLOW_DEAD))
		return -1;
	pthread_spin_lock(&flow->lock);
	if (likely(packet->proto == PROTO_TCP)) {
		track_state(flow, packet, now);
		drop = track_sequence(flow, packet);
	}
	if (!drop && (flow->flags & FLOW_SHAPED))
		drop = shape(flow, packet, now);
	if (!drop) {
		account(flow, packet, now);
		flow->last_seen = now;
		flow->last_dir = packet->dir;
	}
	if (flow->flags & FLOW_NAT)
		translate(flow, packet);
	if (unlikely(flow->flags & FLOW_HELPED))
		flow->helper->inspect(flow->helper_data, packet);
	if (packet->dscp != flow->dscp) {
		flow->dscp = packet->dscp;
		flow->queue = flow->priority * 8 + packet->dscp / 8;
	}
	pthread_spin_unlock(&flow->lock);
	return drop;
}
