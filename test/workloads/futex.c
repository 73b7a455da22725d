// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * futex N: two processes hand a word to each other N times; who does not have
 * it sleeps in FUTEX_WAIT. Prints how often that happened.
 */
#include "workload.h"

#include <linux/futex.h>
#include <sys/syscall.h>

struct word {
	int turn;
	long waits[2];
};

/* Runs until count hand-offs were made by this side. */
static void side(struct word *word, int me, long count)
{
	while (count--) {
		while (__atomic_load_n(&word->turn, __ATOMIC_ACQUIRE) != me) {
			word->waits[me]++;
			if (syscall(SYS_futex, &word->turn, FUTEX_WAIT, !me,
				    NULL, NULL, 0) &&
			    errno != EAGAIN && errno != EINTR)
				die("futex wait");
		}
		__atomic_store_n(&word->turn, !me, __ATOMIC_RELEASE);
		if (syscall(SYS_futex, &word->turn, FUTEX_WAKE, 1, NULL, NULL,
			    0) < 0)
			die("futex wake");
	}
}

int main(int argc, char **argv)
{
	long count = argument(argc, argv, 1, 20000);
	struct word *word = shared(sizeof(*word));

	if (!child()) {
		side(word, 1, count);
		_exit(0);
	}
	side(word, 0, count);
	if (wait_all())
		return 1;
	printf("hand_offs=%ld waits=%ld\n", 2 * count,
	       word->waits[0] + word->waits[1]);
	return 0;
}
