#include "ring.h"

int push(struct ring *r, void *what)
{
	if (r->head - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) == r->size) {
		r->full++;
		return 0;
	}
	r->slots[r->head % r->size] = what;
	__atomic_fetch_add(&r->head, 1, __ATOMIC_RELEASE);
	return 1;
}

void *pop(struct ring *r)
{
	void *what;

	if (r->tail == __atomic_load_n(&r->head, __ATOMIC_ACQUIRE))
		return 0;
	what = r->slots[r->tail % r->size];
	__atomic_fetch_add(&r->tail, 1, __ATOMIC_RELEASE);
	return what;
}
