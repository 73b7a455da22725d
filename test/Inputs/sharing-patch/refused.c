// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shared falsely, and not to be changed by a program.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct made {
  long head;
  long tail;
};

long cleared[2];
#ifdef OTHERWISE
long also(void) { return elsewhere[1]; }
#endif
long elsewhere[2];
struct made *made;
long addressed[2], argument[2], twice[2];
int wider[4];
#define IF_IN(a, i) ((i) < 2 ? a[i] : 0)
#define TEXT(x) (#x[0] == 't' ? x : 0)
struct slot {
  long count, sum;
} slots[2] = {1, 2, 3, 4}; // no braces: another member would shift these

static void *work(void *arg) {
  long me = (long)arg;
  for (int i = 0; i < 2000; ++i) {
    cleared[me]++;
    elsewhere[me]++;
    addressed[me]++;
    argument[me]++;
    twice[me]++;
    __sync_fetch_and_add((long *)&wider[me], 1);
    slots[me].count++;
    slots[me].sum++;
  }
  return NULL;
}
static void *first(void *arg) {
  for (int i = 0; i < 2000; ++i)
    made->head++;
  return arg;
}
static void *second(void *arg) {
  for (int i = 0; i < 2000; ++i)
    made->tail++;
  return arg;
}

static long sum(const long *of, int n) {
  return n ? *of + sum(of + 1, n - 1) : 0;
}

int main(void) {
  pthread_t ids[4];
  made = calloc(1, sizeof(*made));
  memset(cleared, 0, sizeof(cleared));
  for (long i = 0; i < 2; ++i)
    pthread_create(&ids[i], NULL, work, (void *)i);
  pthread_create(&ids[2], NULL, first, NULL);
  pthread_create(&ids[3], NULL, second, NULL);
  for (int i = 0; i < 4; ++i)
    pthread_join(ids[i], NULL);
  return sum(&addressed[0], 2) + IF_IN(argument, 1) + TEXT(twice[0]) ? 0 : 1;
}
