// Many objects, of which one thread writes a member and another reads one.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { long hits, limit; };
enum { Nodes = 50, Rounds = 40 };
static struct node *nodes[Nodes];
static atomic_int turn;
static long sum;

static void *work(void *arg) {
  const long id = (long)arg;
  for (int i = 0; i < Rounds; i++) {
    while (atomic_load(&turn) != id)
      sched_yield();
    for (int n = 0; n < Nodes; n++)
      if (id)
        nodes[n]->hits++;
      else
        sum += nodes[n]->limit;
    atomic_store(&turn, !id);
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (int n = 0; n < Nodes; n++)
    nodes[n] = aligned_alloc(64, 64);
  for (long i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  return sum == 1;
}
