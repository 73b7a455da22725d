// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#define FIELD(t,n) t n
#define TWO(n) int n##_a; int n##_b
#define MEMBERS int m1; u64 m2;
#define END_PAD char pad[0]
struct s {
	FIELD(int, a);
	TWO(t);
	MEMBERS
	u64 q;
	u8 r : 3, s : 5;
	u8 : 0;
	u8 t2 : 1;
	int z;
	void (*cb)(int a,
		   int b);
	int (*arr[2])(void);
};
int main(void){ struct s v={.a=1,.t_a=2,.t_b=3,.m1=4,.m2=5,.q=6,.r=7,.s=8,.t2=1,.z=9}; return !(v.a==1&&v.t_b==3&&v.m2==5&&v.q==6&&v.r==7&&v.s==8&&v.t2==1&&v.z==9); }
