// SPDX-License-Identifier: GPL-2.0-or-later
// Two selected structs, one of them part of the other.
struct inner {
	int x, y;
};
struct outer {
	long a;
	struct inner in;
};
struct outer whole;
struct inner alone;

__attribute__((noinline)) void touch(struct inner *p)
{
	p->y = p->x + 1;
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		touch(&whole.in);
	for (int i = 0; i < 5; i++)
		touch(&alone);
	return 0;
}
