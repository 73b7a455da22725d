// SPDX-License-Identifier: GPL-2.0-or-later
typedef unsigned int u32;
#define __cacheline_group_begin(G) unsigned char __cacheline_group_begin__##G[0]
#define __cacheline_group_end(G) unsigned char __cacheline_group_end__##G[0]
#define CACHELINE_ASSERT_GROUP_MEMBER(T, G, M) ((void)sizeof(((T *)0)->M))

struct gate {
	__cacheline_group_begin(gate_read_tx);
	u32 key;
	u32 mask;
	__cacheline_group_end(gate_read_tx);
	__cacheline_group_begin(gate_write_rx);
	u32 count;
	__cacheline_group_end(gate_write_rx);
	u32 cold;
};

int gate_send(struct gate *g, u32 k)
{
	return (g->key & g->mask) == k;
}

void gate_receive(struct gate *g)
{
	g->count++;
	g->mask++;
}

void gate_check(void)
{
	CACHELINE_ASSERT_GROUP_MEMBER(struct gate, gate_read_tx, key);
	CACHELINE_ASSERT_GROUP_MEMBER(struct gate, gate_read_tx, key);
}
