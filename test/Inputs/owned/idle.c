/* Much code that uses connections and never runs in the test. */
#include "conn.h"

void audit(struct conn *c) {
  for (long i = 0; i < 1000; ++i) {
    c->spare[0] += c->state;
    c->spare[1]++;
  }
}
void report(struct conn *c) {
  for (; c; c = c->next)
    audit(c);
}
