// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queues N: two processes pass a number back and forth N times each through
 * System V message queues, System V semaphores with shared memory, and POSIX
 * message queues.
 */
#include "workload.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

struct message {
	long type;
	long number;
};

static long count;

/* Adds to a semaphore; waits if it would be negative. */
static void change(int set, int which, int by)
{
	struct sembuf op = { .sem_num = which, .sem_op = by };

	if (semop(set, &op, 1))
		die("semop");
}

static void messages(void)
{
	struct message m = { 1, 0 };
	int queue = msgget(IPC_PRIVATE, 0600);
	long i;

	if (queue < 0)
		die("msgget");
	if (!child()) {
		for (i = 0; i < count; i++) {
			if (msgrcv(queue, &m, sizeof(long), 1, 0) < 0)
				die("msgrcv");
			m.type = 2;
			m.number++;
			if (msgsnd(queue, &m, sizeof(long), 0))
				die("msgsnd");
		}
		_exit(0);
	}
	for (i = 0; i < count; i++) {
		m.type = 1;
		if (msgsnd(queue, &m, sizeof(long), 0) ||
		    msgrcv(queue, &m, sizeof(long), 2, 0) < 0)
			die("message");
	}
	if (wait_all() || msgctl(queue, IPC_RMID, NULL))
		die("the other side");
	expect(m.number == count, "a message for each turn");
}

static void semaphores(void)
{
	int memory = shmget(IPC_PRIVATE, 4096, 0600);
	int set = semget(IPC_PRIVATE, 2, 0600);
	long *number = memory < 0 ? NULL : shmat(memory, NULL, 0), i;

	if (set < 0 || !number || number == (void *)-1)
		die("semget and shmget");
	if (!child()) {
		for (i = 0; i < count; i++) {
			change(set, 0, -1);
			++*number;
			change(set, 1, 1);
		}
		_exit(0);
	}
	for (i = 0; i < count; i++) {
		change(set, 0, 1);
		change(set, 1, -1);
		expect(*number == i + 1, "a number by the other side");
	}
	if (wait_all() || shmdt(number) || shmctl(memory, IPC_RMID, NULL) ||
	    semctl(set, 0, IPC_RMID))
		die("the other side");
}

static mqd_t opened(const char *name, int flags)
{
	struct mq_attr has = { .mq_maxmsg = 8, .mq_msgsize = sizeof(long) };
	mqd_t queue = mq_open(name, flags, 0600, &has);

	if (queue < 0 || mq_unlink(name))
		die("mq_open");
	return queue;
}

static void posix_queues(void)
{
	mqd_t there = opened("/kst-there", O_RDWR | O_CREAT | O_EXCL);
	mqd_t back = opened("/kst-back", O_RDWR | O_CREAT | O_EXCL);
	long number, i;

	if (!child()) {
		for (i = 0; i < count; i++)
			if (mq_receive(there, (char *)&number, sizeof(number),
				       NULL) != sizeof(number) ||
			    mq_send(back, (char *)&number, sizeof(number), 1))
				die("mq");
		_exit(0);
	}
	for (i = 0; i < count; i++) {
		number = i;
		if (mq_send(there, (char *)&number, sizeof(number), i % 3) ||
		    mq_receive(back, (char *)&number, sizeof(number), NULL) !=
			    sizeof(number))
			die("mq");
		expect(number == i, "the number that was sent");
	}
	if (wait_all() || mq_close(there) || mq_close(back))
		die("the other side");
}

int main(int argc, char **argv)
{
	count = argument(argc, argv, 1, 3000);
	messages();
	semaphores();
	posix_queues();
	printf("round_trips=%ld\n", 3 * count);
	return 0;
}
