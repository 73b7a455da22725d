/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread adds to box->lock, another one reads box->config. */
struct shared *box;

void writer(long rounds) {
  for (long i = 0; i < rounds; i++)
    __atomic_fetch_add(&box->lock, 1, __ATOMIC_RELAXED);
}
void reader(long rounds) {
  long sum = 0;
  for (long i = 0; i < rounds; i++)
    sum += __atomic_load_n(&box->config, __ATOMIC_RELAXED);
  box->more = sum;
}
int main(void) {
  box = aligned_alloc(128, 512);
  memset(box, 0, 512);
  return run_both(writer, reader, 30000000);
}
