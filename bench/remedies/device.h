/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One thread counts what it receives, another one reads settings to transmit.
 */
struct device *device;

void receive(long rounds) {
  struct device *d = device;
  for (long i = 0; i < rounds; i++) {
    __atomic_fetch_add(&d->packets, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&d->bytes, 64, __ATOMIC_RELAXED);
  }
}
void transmit(long rounds) {
  struct device *d = device;
  unsigned long sent = 0;
  for (long i = 0; i < rounds; i++)
    sent += __atomic_load_n(&d->mtu, __ATOMIC_RELAXED) +
            __atomic_load_n(&d->features, __ATOMIC_RELAXED) +
            (unsigned long)__atomic_load_n(&d->queue, __ATOMIC_RELAXED);
  d->cold[0] = (char)sent;
}
int main(void) {
  device = aligned_alloc(128, 512);
  memset(device, 0, 512);
  return run_both(receive, transmit, 15000000);
}
