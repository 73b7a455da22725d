// SPDX-License-Identifier: GPL-2.0-or-later
struct s {
	unsigned plain, flags;
	unsigned a : 3, b : 5, wide : 20;
	int sign : 4, last : 28;
	unsigned char x : 1, y : 7;
};

int get(struct s *p)
{
	int n = p->a;
	n += p->b;
	n += p->wide;
	n += p->sign;
	n += p->last;
	n += p->y;
	return n;
}

void set(struct s *p, int i)
{
	p->a = i;
	p->b = 0;
	p->wide = i;
	p->sign = -1;
	p->y = i;
	p->b++;
}

void not_bits(struct s *p, int i)
{
	p->flags = i;
	p->flags &= ~7;
	p->flags |= 7;
	p->plain = p->plain & 7;
}

struct s global;

void global_flags(unsigned int x)
{
	global.flags = (global.flags & ~8u) | x;
}
