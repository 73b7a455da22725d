/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control: who reads the settings writes the counter, too; both threads do. */
#include "run.h"

struct account {
  long balance;
  long rate;
  char owner[48];
  long history;
};
struct account *account;

void post(long rounds) {
  for (long i = 0; i < rounds; i++)
    __atomic_fetch_add(&account->balance,
                       1 + __atomic_load_n(&account->rate, __ATOMIC_RELAXED),
                       __ATOMIC_RELAXED);
}
int main(void) {
  account = aligned_alloc(128, 512);
  memset(account, 0, 512);
  return run_both(post, post, 10000000);
}
