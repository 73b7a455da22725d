// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#define FIELDS(X) X(int,a) X(u64,b) X(u8,c) X(u64,d)
#define DECL(t,n) t n;
struct s {
	int first;
	FIELDS(DECL)
	int last;
	u64 more;
};
static const int offs[]={
#define O(t,n) offsetof(struct s,n),
FIELDS(O)
};
int main(void){ struct s v={.a=1,.b=2}; return !(*(int*)((char*)&v+offs[0])==1&&*(u64*)((char*)&v+offs[1])==2); }
