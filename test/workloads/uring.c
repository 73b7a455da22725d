// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uring N [FOLDER]: through io_uring, N times writes a block to a file in
 * FOLDER and reads it back, with a poll of a pipe that becomes ready by a write
 * in the same batch, and a timeout that is removed.
 */
#include "workload.h"

#include <linux/io_uring.h>
#include <poll.h>
#include <stdint.h>
#include <sys/syscall.h>

#define ENTRIES 16
#define BLOCK 4096
#define BLOCKS 64

static int ring;
static unsigned *sq_tail, *sq_mask, *sq_array, *cq_head, *cq_tail, *cq_mask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;

static void *map(size_t size, uint64_t at)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, ring, at);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static void set_up(void)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	ring = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring < 0)
		die("io_uring_setup");
	sq = map(p.sq_off.array + p.sq_entries * sizeof(unsigned),
		 IORING_OFF_SQ_RING);
	cq = map(p.cq_off.cqes + p.cq_entries * sizeof(*cqes),
		 IORING_OFF_CQ_RING);
	sqes = map(p.sq_entries * sizeof(*sqes), IORING_OFF_SQES);
	sq_tail = (void *)(sq + p.sq_off.tail);
	sq_mask = (void *)(sq + p.sq_off.ring_mask);
	sq_array = (void *)(sq + p.sq_off.array);
	cq_head = (void *)(cq + p.cq_off.head);
	cq_tail = (void *)(cq + p.cq_off.tail);
	cq_mask = (void *)(cq + p.cq_off.ring_mask);
	cqes = (void *)(cq + p.cq_off.cqes);
}

static struct io_uring_sqe *next(int op, int fd, const void *address,
				 unsigned length)
{
	unsigned tail = *sq_tail, index = tail & *sq_mask;
	struct io_uring_sqe *sqe = &sqes[index];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = op;
	sqe->fd = fd;
	sqe->addr = (uint64_t)(uintptr_t)address;
	sqe->len = length;
	sqe->user_data = op;
	sq_array[index] = index;
	__atomic_store_n(sq_tail, tail + 1, __ATOMIC_RELEASE);
	return sqe;
}

/* Submits, waits for as many completions, and checks what each says. */
static void complete(unsigned count)
{
	unsigned seen = 0;

	if (syscall(SYS_io_uring_enter, ring, count, count,
		    IORING_ENTER_GETEVENTS, NULL, 0) != count)
		die("io_uring_enter");
	while (seen < count) {
		unsigned head = *cq_head;
		struct io_uring_cqe *cqe = &cqes[head & *cq_mask];
		int result;

		if (head == __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE))
			die("a completion");
		result = cqe->res;
		switch (cqe->user_data) {
		case IORING_OP_READ:
		case IORING_OP_WRITE:
			expect(result == BLOCK || result == 1, "bytes");
			break;
		case IORING_OP_POLL_ADD:
			expect(result & POLLIN, "a pipe that is ready");
			break;
		case IORING_OP_TIMEOUT:
			expect(result == -ECANCELED, "a removed timeout");
			break;
		default:
			expect(!result, "done");
		}
		__atomic_store_n(cq_head, head + 1, __ATOMIC_RELEASE);
		seen++;
	}
}

int main(int argc, char **argv)
{
	const struct __kernel_timespec hour = { .tv_sec = 3600 };
	long count = argument(argc, argv, 1, 3000), i;
	static char written[BLOCK], got[BLOCK];
	int fd, ends[2];
	char byte;

	set_up();
	enter_scratch(argc, argv, 2);
	fd = new_file("data");
	if (pipe(ends))
		die("pipe");
	for (i = 0; i < count; i++) {
		uint64_t at = i % BLOCKS * BLOCK;

		memset(written, i, BLOCK);
		next(IORING_OP_WRITE, fd, written, BLOCK)->off = at;
		sqes[(*sq_tail - 1) & *sq_mask].flags = IOSQE_IO_LINK;
		next(IORING_OP_READ, fd, got, BLOCK)->off = at;
		complete(2);
		expect(!memcmp(written, got, BLOCK), "the block");

		next(IORING_OP_POLL_ADD, ends[0], NULL, 0)->poll32_events =
			POLLIN;
		next(IORING_OP_WRITE, ends[1], written, 1)->off = -1;
		next(IORING_OP_TIMEOUT, -1, &hour, 1);
		next(IORING_OP_TIMEOUT_REMOVE, -1,
		     (void *)(uintptr_t)IORING_OP_TIMEOUT, 0);
		next(IORING_OP_NOP, -1, NULL, 0);
		complete(5);
		if (read(ends[0], &byte, 1) != 1)
			die("the pipe");
	}
	if (close(ring) || close(fd) || unlink("data"))
		die("removing");
	leave_scratch();
	printf("operations=%ld\n", 7 * count);
	return 0;
}
