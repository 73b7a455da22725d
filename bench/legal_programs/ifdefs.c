// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

#define CONFIG_A 1
struct s {
	int a;
#ifdef CONFIG_A
	u64 b;
# if defined(CONFIG_B)
	int never;
# else
	int c;
# endif
#else
	char *b2;
#endif
	/* about d */
	u8 d; /* trailing
	       * more */
	u64 e;
#ifdef CONFIG_Z
	u64 z;
#endif
	int f;
};
int main(void){ struct s v={.a=1,.b=2,.c=3,.d=4,.e=5,.f=6}; return !(v.a==1&&v.b==2&&v.c==3&&v.d==4&&v.e==5&&v.f==6); }
