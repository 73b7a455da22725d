// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

struct s {
	int a, *b, c[3];	/* a, b, c */
	u64 x; int y;
	char *d,
	     *e;		/* both */
	u8 f;
};
int main(void){ struct s v={.a=1,.b=0,.c={1,2,3},.x=4,.y=5,.d="d",.e="e",.f=6}; return !(v.a==1&&v.c[2]==3&&v.x==4&&v.y==5&&*v.d=='d'&&*v.e=='e'&&v.f==6); }
