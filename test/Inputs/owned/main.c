/* Serves some connections, in this thread or (an argument) two others too. */
#include "conn.h"
#include "workers.h"

#include <stdlib.h>

struct conn *all;

struct conn *conn_new(void) {
  struct conn *c = calloc(1, sizeof *c);
  c->limit = 1000;
  c->next = all;
  all = c;
  return c;
}

void serve(struct conn *c, long n) {
  for (long i = 0; i < n; ++i) {
    if (c->requests >= c->limit)
      c->state = 1;
    c->requests++;
    if (c->requests % 7 == 0)
      c->errors++;
  }
}

void *worker(void *with) {
  for (int i = 0; i < 500; ++i)
    serve(with, 10);
  return 0;
}

int main(int argc, char **argv) {
  (void)argv;
  struct conn *c = conn_new();
  if (argc > 1)
    start_workers(c);
  worker(c);
  return c->state != 1;
}
