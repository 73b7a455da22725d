// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

static struct s {
	int a;
	u64 b;
	u8 c;
	u64 d;
	int e;
} one = { .a=1, .b=2 }, two;
int main(void){ return !(one.a==1&&one.b==2&&two.d==0); }
