// SPDX-License-Identifier: GPL-2.0-or-later

#include "program.h"

/**
 * struct s - something
 * @a: first
 * @b: second
 */
struct s {
	/* public: */
	int a; // line comment \
	continued
	u64 b;	/* 1 */ /* 2 */
	/* section one */

	/* about c */
	int c;
	/* about d, with code: int zz; } */
	u64 d; int e; /* d and e */

	/* private: */
	u8 f; /* "string } ; */
	char g; /* end */
	/* final remark */
};
int main(void){ struct s v={.a=1,.b=2,.c=3,.d=4,.e=5,.f=6,.g=7}; return !(v.a==1&&v.b==2&&v.c==3&&v.d==4&&v.e==5&&v.f==6&&v.g==7); }
