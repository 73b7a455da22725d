// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs are made, used and freed.

typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t);
extern void free(void *);

struct queue {
  struct job *first;
  int length;
};
struct job {
  struct job *next;
  int state, left;
  long started, owner;
};

void add(struct queue *to, long owner) {
  struct job *j = malloc(sizeof *j);
  j->owner = owner;
  j->state = 0;
  j->next = to->first;
  to->first = j;
  to->length++;
}

int step(struct queue *of) {
  struct job *j = of->first;
  if (!j)
    return 0;
  j->left--;
  return j->state++;
}

void drop(struct queue *of) {
  struct job *j = of->first;
  of->first = j->next;
  of->length--;
  j->started = 0;
  free(j);
}
