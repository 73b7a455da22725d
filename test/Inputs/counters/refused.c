// SPDX-License-Identifier: GPL-2.0-or-later
struct s {
	int a, b, c;
};
#define IN(name) __attribute__((section(name), noinline))

static inline __attribute__((always_inline)) void inlined(struct s *p)
{
	p->c++;
}

void ordinary(struct s *p) { p->a++; inlined(p); }
IN(".noinstr.text") void noinstr(struct s *p) { p->a++; inlined(p); }
IN(".entry.text") void entry(struct s *p) { p->a++; }
IN(".cpuidle.text") void cpuidle(struct s *p) { p->a++; }
IN(".head.text") void head(struct s *p) { p->a++; }
IN(".init.text") void init(struct s *p) { p->a++; }
__attribute__((no_profile_instrument_function)) void unprofiled(struct s *p) { p->a++; }
__attribute__((annotate("no_kst"))) void opted_out(struct s *p) { p->a++; }
