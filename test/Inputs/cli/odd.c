// SPDX-License-Identifier: GPL-2.0-or-later
// Structs that are odd targets, for the tests of bad input.

enum colour { RED, GREEN };

typedef struct {
	int first, second;
	long third;
} untagged_t;

union either {
	int number;
	char text[8];
};

struct single {
	long only;
};

struct nothing {
};

struct unused {
	int a, b, c;
};

struct packet {
	unsigned int kind : 3, urgent : 1, size : 28;
	unsigned int count;
	unsigned long data[];
};

struct declared;

struct unused *somewhere;

long untagged_sum(untagged_t *of) { return of->first + of->third; }
int either_first(union either *of) { return of->number + of->text[0]; }
long single_get(struct single *of) { return of->only; }
int nothing_at(struct nothing *of) { return of != 0; }
int declared_at(struct declared *of) { return of != 0; }
int colour_is(enum colour of) { return of == GREEN; }

unsigned long packet_sum(struct packet *of)
{
	unsigned long sum = of->urgent;
	unsigned int i;

	for (i = 0; i < of->count; i++)
		sum += of->data[i];
	return sum;
}
