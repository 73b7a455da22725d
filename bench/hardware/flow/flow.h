/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second struct under test, of another kind: an entry of a connection
 * tracker. Found by a hash of its key, written for every packet by one thread,
 * looked through for old ones by another. The order is the one in which such an
 * entry grows: one feature after the other.
 */
#ifndef FLOW_H
#define FLOW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct packet {
	uint32_t src, dst;
	uint16_t sport, dport;
	uint8_t proto;
	uint8_t dir;
	uint8_t tcp_flags;
	uint8_t dscp;
	uint32_t length;
	uint32_t seq, ack;
	uint16_t window;
};

struct helper {
	int (*inspect)(void *data, const struct packet *packet);
};

struct flow {
	struct flow *next;
	atomic_uint users;
	pthread_spinlock_t lock;

	/* who talks */
	uint32_t src;
	uint32_t dst;
	uint16_t sport;
	uint16_t dport;
	uint8_t proto;
	uint8_t family;
	uint16_t zone;

	/* how it came about */
	uint64_t created_at;
	uint32_t rule;
	uint32_t owner;
	char label[24];

	/* state */
	uint8_t state;
	uint8_t last_dir;
	uint16_t flags;
	uint32_t timeout;
	uint64_t last_seen;

	/* address translation */
	uint32_t nat_src;
	uint32_t nat_dst;
	uint16_t nat_sport;
	uint16_t nat_dport;
	int32_t nat_seq_delta;

	/* sequence tracking */
	uint32_t seq_next[2];
	uint32_t seq_acked[2];
	uint32_t window[2];
	uint8_t window_scale[2];
	uint8_t close_flags;
	uint8_t loose;

	/* accounting */
	uint64_t packets[2];
	uint64_t bytes[2];
	uint64_t first_byte_at;

	/* shaping */
	uint64_t rate;
	uint64_t burst;
	uint64_t tokens;
	uint64_t token_stamp;

	/* helpers */
	struct helper *helper;
	void *helper_data;
	struct flow *parent;
	unsigned int nr_expected;

	/* export of records */
	uint64_t exported_at;
	uint64_t exported_bytes;
	uint32_t export_seq;
	uint32_t sample_rate;

	/* statistics */
	uint32_t stat_out_of_window;
	uint32_t stat_retransmitted;
	uint32_t stat_shaped;
	uint32_t stat_ecn;
	uint64_t stat_max_gap;
	uint32_t stat_avg_size;
	uint8_t dscp;
	uint8_t priority;
	uint16_t queue;

	/* removal */
	uint64_t dead_at;
	void *free_list;
	uint32_t generation;
	uint32_t check;
} __attribute__((aligned(64)));

#define MAX_FLOWS 131072
#define FLOW_DEAD 1u
#define FLOW_NAT 2u
#define FLOW_HELPED 4u
#define FLOW_SHAPED 8u
#define PROTO_TCP 6
#define TCP_FIN 1u
#define TCP_SYN 2u
#define TCP_RST 4u
#define DSCP_ECN 3u

enum { NEW, OPENING, OPEN, CLOSING, CLOSED };

extern struct flow flows[MAX_FLOWS];
extern struct flow *buckets[MAX_FLOWS];
extern unsigned int nr_flows;

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

unsigned int flow_hash(uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport);
struct flow *flow_find(const struct packet *packet);
void flow_create(struct flow *flow, const struct packet *packet, uint64_t now);
int flow_packet(struct packet *packet, uint64_t now);
unsigned int flow_expire(uint64_t now);

#endif
