struct conn;
#ifdef WORKERS
#include <pthread.h>
void *worker(void *with);
static void start_workers(struct conn *c) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], 0, worker, c);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], 0);
}
#else
static void start_workers(struct conn *c) { (void)c; }
#endif
