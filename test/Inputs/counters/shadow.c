// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel's objects: what tells the runtime of them, what looks them up.

struct list {
  struct list *next, *prev;
};
struct inner {
  long x;
  struct list link;
};
struct outer {
  long first;
  struct list link;
  struct {
    int a, b;
  };
  struct inner in;
};

struct outer one;
void *allocate(unsigned long);
void use(struct list *);

// Told of once; the second access is of the same object, on the same way.
void made(void) {
  struct outer *o = allocate(sizeof *o);
  o->first = 1;
  use(&o->link);
  o->b = 2;
}

// Two objects, and one of them on one way only.
void either(struct outer *o, struct outer *p, int which) {
  if (which)
    o->first = 1;
  p->first = 1;
}

// Known as it is.
long global(void) { return one.first; }
long local(void) {
  struct outer o = {1};
  use(&o.link);
  return o.first;
}

// The object around is anybody's.
void helper(struct list *l) { l->next = l; }
void clear(struct list l[4]) { __builtin_memset(l, 0, 4 * sizeof *l); }

void copy(void *to, struct list *l, unsigned long n) {
  __builtin_memcpy(to, l, n);
}

// Of inner, and perhaps of what is around it.
void part(struct inner *i) { i->x = 1; }

// Inlining shows that it is inner's; the object around that is looked up.
static inline void set(struct list *l, struct list *to) { l->next = to; }
void link(struct inner *i) { set(&i->link, &i->link); }
