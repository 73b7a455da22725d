// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef S_H
#define S_H
struct s {
  unsigned long a;
  char q;
  long long k;
  char cold[120];
  unsigned long d;
  double m;
  char colder[121];
  unsigned long f;
};
#endif
