// SPDX-License-Identifier: GPL-2.0-or-later
struct s {
	int first, count;
	unsigned long bits;
	int *pointer;
};
struct s here;

void operands(struct s *p, int n)
{
	asm volatile("lock; incl %0" : "+m"(p->count));
	asm volatile("movl %1, %0" : "=m"(p->count) : "r"(n));
	asm volatile("movl %1, %0" : "=r"(n) : "m"(p->count));
	asm volatile("lock; btsq %1, %0" : : "m"(p->bits), "r"(3l) : "memory");
	asm volatile("incl (%0)" : : "r"(&p->count) : "memory");
	asm volatile("" : "+m"(p->first));
	asm volatile("lock; cmpxchgl %2, %1" : "+a"(n), "+m"(p->count) : "r"(1));
	asm volatile("incl %0" : "+m"(here.count));
}

int jump(struct s *p)
{
	asm goto("cmpl $0, %0; jne %l1" : : "m"(p->count) : : away);
	return 0;
away:
	return p->first;
}
