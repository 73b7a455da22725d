// SPDX-License-Identifier: GPL-2.0-or-later
#include "s.h"
void step(struct s *p) { p->a++; p->d += p->a; p->f ^= p->d; }
void run(struct s *p, int n) { while (n--) step(p); }
