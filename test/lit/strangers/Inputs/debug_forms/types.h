/* SPDX-License-Identifier: GPL-2.0-or-later */
struct anchor {
  long id;
  struct anchor *next;
};
typedef struct {
  int x, y;
} point;
enum kind { small, large = 70000 };
struct node {
  struct anchor *of;
  struct node *children[2];
  union {
    long number;
    struct {
      short low;
      signed char high;
    };
  };
  unsigned flags : 3, more : 7;
  unsigned long long wide : 40;
  point corners[4];
  enum kind kind;
  const char *volatile name;
};
struct table {
  unsigned count;
  struct node *rows[];
};
extern struct node shared[3];
extern int counters[8];
long use(struct node *n);
