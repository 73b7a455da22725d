// SPDX-License-Identifier: GPL-2.0-or-later
// exact: source
// Arrays of one element with indices that vary: an access to a member is not
// one to the whole element.
#include <stdio.h>

struct item {
	int x;
	short y;
	int z;
};
static struct item once[1], many[3][1] = { { { 1, 2, 3 } } };
static struct item deep[1][1][1];

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1; i++) {
		once[i].y = 4;
		sum += once[i].y + deep[i][i][i].z;
		for (int j = 0; j < 3; j++)
			sum += many[j][i].x + many[2][i].y;
	}
	printf("%ld\n", sum);
	return 0;
}
