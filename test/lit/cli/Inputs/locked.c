/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lock that is only passed by address beside a limit that others read, and
   slots that code finds by adding to an address in a register. */
static struct {
  int value;
} guard = {2};
int limit = 7;
static long slots[16] = {1};

__attribute__((noinline)) void lock(int *it);
void lock(int *it) {
  while (__atomic_exchange_n(it, 1, __ATOMIC_ACQUIRE) == 1)
    ;
}

int enter(void) {
  lock(&guard.value);
  return 1;
}

int get_limit(void) { return limit; }

void add(unsigned at, long value) { slots[at & 15] += value; }

long sum(void) {
  long all = 0;
  for (int i = 0; i < 16; i++)
    all += slots[i];
  return all;
}

int main(int argc, char **argv) {
  (void)argv;
  add((unsigned)argc, 3);
  return enter() + get_limit() + (int)sum();
}
