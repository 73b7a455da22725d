// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
	int a __attribute__((aligned(16)));
	__attribute__((aligned(8))) char b;
	_Alignas(32) char c;
	u64 d
		__attribute__((unused));
	const volatile int e;
	int f [2]
	      [3];
	char g[sizeof(u64) * 2];
} __attribute__((aligned(64)));
int main(void){ struct s v={.a=1,.b=2,.c=3,.d=4,.e=5,.g={1}}; return !(v.a==1&&v.b==2&&v.c==3&&v.d==4&&v.e==5&&v.g[0]==1); }
