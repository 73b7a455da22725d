/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring of one producer and one consumer: each has an index, and its own copy
 * of the other's. */
struct ring *ring;

void produce(long rounds) {
  struct ring *r = ring;
  for (long i = 0; i < rounds;) {
    unsigned long head = __atomic_load_n(&r->head, __ATOMIC_RELAXED);
    if (head - r->tail_seen >= SLOTS) {
      r->tail_seen = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
      continue;
    }
    r->slots[head % SLOTS] = (unsigned long)i++;
    __atomic_store_n(&r->head, head + 1, __ATOMIC_RELEASE);
  }
}
void consume(long rounds) {
  struct ring *r = ring;
  unsigned long sum = 0;
  for (long i = 0; i < rounds;) {
    unsigned long tail = __atomic_load_n(&r->tail, __ATOMIC_RELAXED);
    if (tail == r->head_seen) {
      r->head_seen = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
      continue;
    }
    sum += r->slots[tail % SLOTS], i++;
    __atomic_store_n(&r->tail, tail + 1, __ATOMIC_RELEASE);
  }
  r->slots[0] = sum;
}
int main(void) {
  ring = aligned_alloc(128, 512);
  memset(ring, 0, 512);
  ring->slots = calloc(SLOTS, sizeof(*ring->slots));
  return run_both(produce, consume, 15000000);
}
